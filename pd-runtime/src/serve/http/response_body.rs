//! The bodies of answers.

use axum::body::{Body, Bytes, HttpBody};
use http_body_util::{Full, combinators::BoxBody};
use hyper::body::{Frame, SizeHint};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

/// An answer's body in the type in which it was made. A common boxed type would cost every call an
/// allocation.
#[derive(Debug)]
pub(in crate::serve) enum ResponseBody {
    Whole(Full<Bytes>),
    /// The body of an answer from rmcp.
    FromRmcp(BoxBody<Bytes, Infallible>),
    Other(Body),
}

impl ResponseBody {
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self::Whole(Full::new(bytes))
    }
}

impl Default for ResponseBody {
    fn default() -> Self {
        Self::Whole(Full::default())
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let never = |polled: Option<Result<_, Infallible>>| {
            polled.map(|frame| frame.map_err(|never| match never {}))
        };
        match &mut *self {
            Self::Whole(body) => Pin::new(body).poll_frame(context).map(never),
            Self::FromRmcp(body) => Pin::new(body).poll_frame(context).map(never),
            Self::Other(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::FromRmcp(body) => body.is_end_stream(),
            Self::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::FromRmcp(body) => body.size_hint(),
            Self::Other(body) => body.size_hint(),
        }
    }
}
