"""The implementation guide's `SessionAuthorization` ("Server Implementation", 3), typed anew."""

import logging
import time

logger = logging.getLogger(__name__)


class SessionAuthorization:
    """Manages the tools that each session may call."""

    def __init__(self):
        self._sessions: dict[int, dict] = {}

    def get_session_id(self, session) -> int:
        """Returns the identifier of an MCP session object, which lives as long as its connection."""
        return id(session)

    def authorize_tool(self, session, tool_name: str):
        """Marks a tool as authorized for this session."""
        session_id = self.get_session_id(session)
        if session_id not in self._sessions:
            self._sessions[session_id] = {
                "authorized_tools": set(),
                "created_at": time.time(),
                "last_activity": time.time(),
            }
        self._sessions[session_id]["authorized_tools"].add(tool_name)
        self._sessions[session_id]["last_activity"] = time.time()
        logger.info("Session %s: Authorized tool '%s'", session_id, tool_name)

    def is_authorized(self, session, tool_name: str) -> bool:
        """Checks whether the tool has been authorized in this session."""
        session_id = self.get_session_id(session)
        if session_id not in self._sessions:
            return False
        self._sessions[session_id]["last_activity"] = time.time()
        return tool_name in self._sessions[session_id]["authorized_tools"]

    def cleanup_stale_sessions(self, max_age_seconds: int = 3600):
        """Removes inactive sessions."""
        now = time.time()
        stale = [sid for sid, data in self._sessions.items() if now - data["last_activity"] > max_age_seconds]
        for session_id in stale:
            del self._sessions[session_id]
        if stale:
            logger.info("Cleaned up %s stale session(s)", len(stale))
