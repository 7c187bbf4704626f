// A match of some players over ENet: each tells the server what it does, and the server tells all what became of it. The network is
// memory, and its clock a counter, so that each run is the same: these functions stand in the place of ENet's unix.c.
#include <enet/enet.h>
#include <stdio.h>
#include <string.h>

enum { PLAYERS = 12, TICKS = 1000, SHIPS = 24, WAITING = 256, LARGEST = 1500 };

static enet_uint32 now;

static struct mailbox {
    struct datagram {
        int sender;
        size_t length;
        char bytes[LARGEST];
    } datagrams[WAITING];
    unsigned first, end;
} mailboxes[PLAYERS + 1];

static int sockets;

int enet_initialize(void) { return 0; }
enet_uint32 enet_host_random_seed(void) { return 7; }
enet_uint32 enet_time_get(void) { return now; }
ENetSocket enet_socket_create(ENetSocketType type) { return type == ENET_SOCKET_TYPE_DATAGRAM ? sockets++ : ENET_SOCKET_NULL; }
int enet_socket_bind(ENetSocket socket, const ENetAddress *address) { return 0; }
int enet_socket_get_address(ENetSocket socket, ENetAddress *address) { return -1; }
int enet_socket_set_option(ENetSocket socket, ENetSocketOption option, int value) { return 0; }
void enet_socket_destroy(ENetSocket socket) {}

int enet_socket_wait(ENetSocket socket, enet_uint32 *condition, enet_uint32 timeout) {
    *condition = ENET_SOCKET_WAIT_NONE;
    return 0;
}

// The port of a socket is its number.
int enet_socket_send(ENetSocket socket, const ENetAddress *address, const ENetBuffer *buffers, size_t count) {
    struct mailbox *to = &mailboxes[address->port];
    if (to->end - to->first == WAITING) return 0;
    struct datagram *sent = &to->datagrams[to->end++ % WAITING];
    sent->sender = socket;
    sent->length = 0;
    for (size_t at = 0; at < count; at++) {
        memcpy(sent->bytes + sent->length, buffers[at].data, buffers[at].dataLength);
        sent->length += buffers[at].dataLength;
    }
    return (int)sent->length;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *address, ENetBuffer *buffers, size_t count) {
    struct mailbox *from = &mailboxes[socket];
    if (from->first == from->end) return 0;
    struct datagram *received = &from->datagrams[from->first++ % WAITING];
    if (received->length > buffers->dataLength) return -2;
    memcpy(buffers->data, received->bytes, received->length);
    address->host = ENET_HOST_TO_NET_32(0x7f000001);
    address->port = (enet_uint16)received->sender;
    return (int)received->length;
}

static unsigned chance;

static unsigned some(unsigned below) {
    chance = chance * 1664525 + 1013904223;
    return (chance >> 8) % below;
}

static void send_to(ENetPeer *peer, int channel, size_t length, enet_uint32 flags) {
    unsigned char message[64];
    for (size_t at = 0; at < length; at++) message[at] = (unsigned char)some(256);
    ENetPacket *packet = enet_packet_create(message, length, flags);
    if (enet_peer_send(peer, (enet_uint8)channel, packet) < 0) enet_packet_destroy(packet);
}

static void broadcast(ENetHost *server, int channel, size_t length, enet_uint32 flags) {
    unsigned char message[64];
    for (size_t at = 0; at < length; at++) message[at] = (unsigned char)some(256);
    enet_host_broadcast(server, (enet_uint8)channel, enet_packet_create(message, length, flags));
}

// What arrived: how many messages, their bytes, and a sum that tells their order.
static struct heard {
    unsigned long messages, bytes, sum;
} heard[PLAYERS + 1];

static void serve(ENetHost *host, struct heard *to) {
    ENetEvent event;
    while (enet_host_service(host, &event, 0) > 0) {
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        to->messages++;
        to->bytes += event.packet->dataLength;
        for (size_t at = 0; at < event.packet->dataLength; at++) to->sum = to->sum * 31 + event.packet->data[at];
        enet_packet_destroy(event.packet);
    }
}

int main(void) {
    ENetAddress at = {ENET_HOST_TO_NET_32(0x7f000001), 0};
    ENetHost *server = enet_host_create(&at, PLAYERS, 2, 0, 0), *players[PLAYERS];
    ENetPeer *to_server[PLAYERS];
    for (int player = 0; player < PLAYERS; player++) {
        players[player] = enet_host_create(NULL, 1, 2, 0, 0);
        to_server[player] = enet_host_connect(players[player], &at, 2, 0);
    }
    for (int tick = 0; tick < TICKS; tick++) {
        now += 33;
        for (int player = 0; player < PLAYERS; player++) {
            // The stick and the buttons, and now and then a shot or a word.
            send_to(to_server[player], 0, 16, 0);
            if (some(4) == 0) send_to(to_server[player], 1, 8 + some(24), ENET_PACKET_FLAG_RELIABLE);
            serve(players[player], &heard[1 + player]);
        }
        serve(server, &heard[0]);
        // Where the ships are that moved, and what happened to one of them.
        for (int ship = 0; ship < SHIPS; ship++)
            if (some(3) != 0) broadcast(server, 0, 28, 0);
        if (some(2) == 0) broadcast(server, 1, 12 + some(20), ENET_PACKET_FLAG_RELIABLE);
        serve(server, &heard[0]);
    }
    for (int who = 0; who <= PLAYERS; who++)
        printf("%d: %lu messages, %lu bytes, %lx\n", who, heard[who].messages, heard[who].bytes, heard[who].sum);
    for (int player = 0; player < PLAYERS; player++) enet_host_destroy(players[player]);
    enet_host_destroy(server);
}
