//! Requests and connections without a network: `h2-bench SCENARIO ROUNDS`.

mod peak;

use bytes::Bytes;
use h2::client::SendRequest;
use h2::{client, server};
use http::{Request, Response};
use tokio::io::DuplexStream;

/// The bytes on their way in one direction.
const PIPE_BYTES: usize = 4096;

/// Answers each request with four bytes, as h2's own benchmark does.
async fn serve(pipe: DuplexStream) {
    let mut connection = server::handshake(pipe).await.unwrap();
    while let Some(request) = connection.accept().await {
        let Ok((request, mut respond)) = request else { return };
        tokio::spawn(async move {
            let mut body = request.into_body();
            while let Some(data) = body.data().await {
                let data = data.unwrap();
                body.flow_control().release_capacity(data.len()).unwrap();
            }
            let mut send = respond.send_response(Response::new(()), false).unwrap();
            send.send_data(Bytes::from_static(b"pong"), true).unwrap();
        });
    }
}

async fn connect() -> SendRequest<Bytes> {
    let (here, there) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(serve(there));
    let (client, connection) = client::handshake(here).await.unwrap();
    tokio::spawn(async move { connection.await.unwrap() });
    client
}

/// Sends one request and reads the answer.
async fn ask(client: SendRequest<Bytes>) -> usize {
    let mut client = client.ready().await.unwrap();
    let (response, _) = client.send_request(Request::new(()), true).unwrap();
    let mut body = response.await.unwrap().into_body();
    let mut bytes = 0;
    while let Some(chunk) = body.data().await {
        bytes += chunk.unwrap().len();
    }
    bytes
}

async fn requests(rounds: usize) {
    let client = connect().await;
    for _ in 0..rounds {
        let tasks: Vec<_> = (0..100).map(|_| tokio::spawn(ask(client.clone()))).collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), 4);
        }
    }
}

async fn idle(connections: usize) {
    let mut clients = Vec::new();
    for _ in 0..connections {
        let client = connect().await;
        assert_eq!(ask(client.clone()).await, 4);
        clients.push(client);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    match scenario.as_str() {
        "requests" => runtime.block_on(requests(rounds)),
        "idle" => runtime.block_on(idle(rounds)),
        other => panic!("no scenario {other}"),
    }
    peak::print();
}
