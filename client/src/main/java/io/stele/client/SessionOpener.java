package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.WireLimits;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A factory of sessions: it connects a socket to a sidecar, with TLS if configured, and
 * authenticates it by the exchange of greetings; it blocks. Thread-safe.
 */
final class SessionOpener {
    private final TokenSource tokens;
    private final @Nullable SSLContext tls;
    private final String clientName;
    private final QueryIdentity identity;
    private final Duration timeout;

    SessionOpener(
            TokenSource tokens,
            Optional<ClientTls> tls,
            String clientName,
            QueryIdentity identity,
            Duration timeout) {
        this.tokens = requireNonNull(tokens, "tokens is null");
        this.tls = tls.map(ClientTls::sslContext).orElse(null);
        this.clientName = requireNonNull(clientName, "clientName is null");
        this.identity = requireNonNull(identity, "identity is null");
        this.timeout = requireNonNull(timeout, "timeout is null");
    }

    /**
     * Opens a session.
     *
     * @throws IOException if the sidecar cannot be reached now
     * @throws SteleException if the sidecar refuses the session: UNAUTHENTICATED, another version,
     *     busy or unavailable
     */
    Session open(Endpoint endpoint) throws IOException {
        Socket socket = new Socket();
        try {
            int millis = (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millis);
            socket.setSoTimeout(millis);
            refuseItself(socket);
            Socket secured = secure(socket, endpoint);
            return greet(secured);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * A connect to a local port without a listener can get that same port as its source and so
     * connect to itself. Such a socket would block the port for the sidecar.
     */
    private static void refuseItself(Socket socket) throws IOException {
        if (socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress())) {
            socket.setSoLinger(true, 0); // closes without TIME_WAIT, which would hold the port
            throw new ConnectException("Nobody listens at " + socket.getRemoteSocketAddress());
        }
    }

    private Socket secure(Socket plain, Endpoint endpoint) throws IOException {
        if (tls == null) {
            return plain;
        }
        SSLSocket socket =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(plain, endpoint.host(), endpoint.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private Session greet(Socket socket) throws IOException {
        FrameWriter writer = new FrameWriter(socket.getOutputStream());
        FrameReader reader = new FrameReader(socket.getInputStream(), WireLimits.MAX_HELLO_BYTES);
        writer.write(
                FrameType.HELLO,
                0,
                new Hello(WireLimits.VERSION, tokens.token(), clientName, Optional.of(identity))
                        .encode());
        writer.flush();
        Frame frame = reader.read();
        if (frame == null) {
            throw new EOFException("The sidecar closed the connection instead of greeting");
        }
        if (frame.type() == FrameType.ERROR) {
            throw ErrorReply.decode(frame).toException();
        }
        HelloReply reply = HelloReply.decode(frame);
        if (reply.version() < WireLimits.MIN_VERSION || reply.version() > WireLimits.VERSION) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a sidecar that speaks a version from "
                            + WireLimits.MIN_VERSION
                            + " to "
                            + WireLimits.VERSION
                            + ", found "
                            + reply.version());
        }
        reader.setMaxFrameBytes(WireLimits.MAX_FRAME_BYTES);
        return new Session(socket, reader, writer, reply);
    }
}
