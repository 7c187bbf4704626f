# HTTP/2: a slab of streams and two of frames for each connection.
CRATE=h2
VERSION=0.4.20
WHAT='HTTP/2'
REPLACES='three `Slab`s for each connection'

rows() {
    measure '100 requests at once over one connection' 1000 requests
    measure '10,000 idle connections' 10000 idle
}
