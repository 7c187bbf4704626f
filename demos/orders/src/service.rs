//! The web service: `POST /orders/{id}` puts an order into the table.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use millpond_lend::Lender;
use tokio::net::TcpListener;

use crate::store::Store;

/// Starts the service on a free port of loopback; it runs as long as the runtime.
pub(crate) async fn start<S: Store>(lender: Lender<S>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().route("/orders/{id}", post(order::<S>)).with_state(lender);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

async fn order<S: Store>(
    State(lender): State<Lender<S>>,
    Path(id): Path<i64>,
) -> (StatusCode, String) {
    let loan = match lender.acquire().await {
        Ok(loan) => loan,
        Err(error) => return (StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    };
    match S::insert(loan, id).await {
        Ok(()) => (StatusCode::CREATED, String::new()),
        Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
    }
}
