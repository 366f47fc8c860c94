/*
 * Asks nginx over TLS 1.2 from many IPv6 prefixes of 56 bits, a connection a request, resuming the session of the one before.
 *
 *     many_prefixes PORT BASE MODULUS FROM STEP UNTIL
 *
 * The n-th request, n from FROM by STEP below UNTIL, comes from prefix BASE + n % MODULUS of 2001:db8::/32. Tells (stdout) how
 * many seconds each took, as doubles of this machine; -1 where it failed, which stderr explains.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <openssl/ssl.h>

#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78 /* linux/in6.h */
#endif

static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A socket of an address within the prefix, which resets its connection when it is closed: none waits for its last packets. */
static int socket_of(unsigned long prefix) {
    const struct linger none = {1, 0};
    const int on = 1;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    const unsigned char bytes[16] = {0x20, 0x01, 0x0d, 0xb8, (unsigned char)(prefix >> 16), (unsigned char)(prefix >> 8),
                                     (unsigned char)prefix, [15] = 1};
    memcpy(&address.sin6_addr, bytes, sizeof(bytes));
    const int made = socket(AF_INET6, SOCK_STREAM, 0);
    if (made < 0) {
        return -1;
    }
    setsockopt(made, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(made, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on));
    if (bind(made, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(made);
        return -1;
    }
    return made;
}

/* One request; 0 where it was answered by 200. The session is exchanged for a newer one. */
static int ask(SSL *tls, int connection, unsigned short port, SSL_SESSION **session) {
    struct sockaddr_in6 server = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    char answer[4096];
    if (connect(connection, (struct sockaddr *)&server, sizeof(server)) != 0 || SSL_set_fd(tls, connection) != 1
        || (*session != NULL && SSL_set_session(tls, *session) != 1) || SSL_connect(tls) != 1
        || SSL_write(tls, REQUEST, sizeof(REQUEST) - 1) <= 0) {
        return -1;
    }
    const int length = SSL_read(tls, answer, sizeof(answer));
    if (length < 13 || memcmp(answer, "HTTP/1.1 200 ", 13) != 0) {
        return -1;
    }
    SSL_SESSION_free(*session);
    *session = SSL_get1_session(tls);
    /* Else OpenSSL takes the session for one that must not be resumed. */
    SSL_set_shutdown(tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    return 0;
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "many_prefixes PORT BASE MODULUS FROM STEP UNTIL\n");
        return 2;
    }
    unsigned long number[6];
    for (int i = 0; i < 6; i++) {
        number[i] = strtoul(arguments[i + 1], NULL, 10);
    }
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL || SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION) != 1) {
        return 1;
    }
    SSL_SESSION *session = NULL;
    unsigned long asked = 0, resumed = 0;
    for (unsigned long n = number[3]; n < number[5]; n += number[4]) {
        const unsigned long prefix = number[1] + n % number[2];
        double took_s = now_s();
        SSL *tls = SSL_new(context);
        const int connection = socket_of(prefix);
        const int failed = tls == NULL || connection < 0 || ask(tls, connection, (unsigned short)number[0], &session) != 0;
        took_s = failed ? -1 : now_s() - took_s;
        asked++;
        resumed += !failed && SSL_session_reused(tls);
        if (failed) {
            fprintf(stderr, "prefix %lu: ", prefix);
            perror("no answer");
        }
        SSL_free(tls);
        if (connection >= 0) {
            close(connection);
        }
        fwrite(&took_s, sizeof(took_s), 1, stdout);
    }
    fprintf(stderr, "%lu of %lu sessions resumed\n", resumed, asked);
    return 0;
}
