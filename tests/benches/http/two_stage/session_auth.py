"""As the implementation guide has it."""

from typing import Dict
import time
import logging

logger = logging.getLogger(__name__)


class SessionAuthorization:
    """Manages per-session tool authorization state"""

    def __init__(self):
        self._sessions: Dict[int, Dict] = {}
        # session_id -> {
        #     'authorized_tools': Set[str],
        #     'created_at': float,
        #     'last_activity': float
        # }

    def get_session_id(self, session) -> int:
        """Get unique session identifier from MCP session object"""
        return id(session)

    def authorize_tool(self, session, tool_name: str):
        """Mark a tool as authorized for this session"""
        session_id = self.get_session_id(session)
        if session_id not in self._sessions:
            self._sessions[session_id] = {
                'authorized_tools': set(),
                'created_at': time.time(),
                'last_activity': time.time(),
            }
        self._sessions[session_id]['authorized_tools'].add(tool_name)
        self._sessions[session_id]['last_activity'] = time.time()
        logger.info(f"Session {session_id}: Authorized tool '{tool_name}'")

    def is_authorized(self, session, tool_name: str) -> bool:
        """Check if tool has been authorized in this session"""
        session_id = self.get_session_id(session)
        if session_id not in self._sessions:
            return False
        self._sessions[session_id]['last_activity'] = time.time()
        return tool_name in self._sessions[session_id]['authorized_tools']

    def cleanup_stale_sessions(self, max_age_seconds: int = 3600):
        """Remove inactive sessions"""
        now = time.time()
        stale = [sid for sid, data in self._sessions.items() if now - data['last_activity'] > max_age_seconds]
        for session_id in stale:
            del self._sessions[session_id]
        if stale:
            logger.info(f"Cleaned up {len(stale)} stale session(s)")
