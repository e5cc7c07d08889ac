package io.stele.objectstore.retrieval.http;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLParameters;

/**
 * The TLS transport of an HTTP connection, which verifies the server's host name. The computations
 * of a handshake run on the event loop; they are rare, because connections are reused. Confined to
 * its event loop.
 */
final class TlsTransport implements Transport {
    /** Several records for each read of the socket; a record has 16 KiB. */
    private static final int RECEIVED_BYTES = 256 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final ByteBuffer received; // to be filled; flipped only within a method
    private final ByteBuffer toSend; // to be drained
    private final ByteBuffer decrypted; // to be drained

    TlsTransport(SocketChannel channel, SSLContext context, Endpoint endpoint) throws IOException {
        this.channel = channel;
        engine = context.createSSLEngine(endpoint.host(), endpoint.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        engine.setSSLParameters(parameters);
        received = ByteBuffer.allocate(RECEIVED_BYTES);
        toSend = ByteBuffer.allocate(engine.getSession().getPacketBufferSize()).flip();
        decrypted = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
        engine.beginHandshake();
    }

    @Override
    public boolean handshake() throws IOException {
        while (true) {
            if (!flush()) {
                return false;
            }
            switch (engine.getHandshakeStatus()) {
                case FINISHED, NOT_HANDSHAKING -> {
                    return true;
                }
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> wrap(NOTHING);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    decrypted.clear();
                    SSLEngineResult.Status status = unwrap(decrypted);
                    decrypted.flip();
                    if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                        int count = channel.read(received);
                        if (count < 0) {
                            throw new SocketException("The connection ended within its handshake");
                        }
                        if (count == 0) {
                            return false;
                        }
                    } else if (status == SSLEngineResult.Status.CLOSED) {
                        throw new SocketException("The server ended the handshake");
                    }
                }
            }
        }
    }

    @Override
    public boolean write(ByteBuffer bytes) throws IOException {
        while (flush()) {
            if (!bytes.hasRemaining()) {
                return true;
            }
            wrap(bytes);
        }
        return false;
    }

    @Override
    public int read(ByteBuffer target, ByteBuffer scratch) throws IOException {
        while (true) {
            if (decrypted.hasRemaining()) {
                return drain(target);
            }
            boolean fits = target.remaining() >= engine.getSession().getApplicationBufferSize();
            int before = target.position();
            SSLEngineResult.Status status;
            if (fits) {
                status = unwrap(target);
            } else {
                decrypted.clear();
                status = unwrap(decrypted);
                decrypted.flip();
            }
            if (target.position() > before) {
                return target.position() - before;
            }
            switch (status) {
                case CLOSED -> {
                    return -1;
                }
                case BUFFER_UNDERFLOW -> {
                    int count = channel.read(received);
                    if (count <= 0) {
                        return count;
                    }
                }
                case BUFFER_OVERFLOW ->
                        throw new IOException("Expected a record of TLS, found a larger one");
                case OK -> afterHandshake();
            }
        }
    }

    /** A server may renew keys or send tickets at any time. */
    private void afterHandshake() throws IOException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> runTasks();
            case NEED_WRAP -> {
                if (flush()) {
                    wrap(NOTHING);
                }
                flush();
            }
            default -> {}
        }
    }

    private int drain(ByteBuffer target) {
        int count = Math.min(target.remaining(), decrypted.remaining());
        target.put(decrypted.slice(decrypted.position(), count));
        decrypted.position(decrypted.position() + count);
        return count;
    }

    private SSLEngineResult.Status unwrap(ByteBuffer target) throws IOException {
        received.flip();
        try {
            return engine.unwrap(received, target).getStatus();
        } finally {
            received.compact();
        }
    }

    private void wrap(ByteBuffer bytes) throws IOException {
        toSend.clear();
        engine.wrap(bytes, toSend);
        toSend.flip();
    }

    private void runTasks() {
        for (Runnable task; (task = engine.getDelegatedTask()) != null; ) {
            task.run();
        }
    }

    private boolean flush() throws IOException {
        if (toSend.hasRemaining()) {
            channel.write(toSend);
        }
        return !toSend.hasRemaining();
    }

    @Override
    public boolean wantsWrite() {
        return toSend.hasRemaining();
    }
}
