package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * One non-blocking HTTP connection, plain or TLS, that runs one exchange after the other. Confined
 * to its event loop.
 */
final class HttpConnection implements EventLoop.Watcher {
    /** Bytes read before the other connections get their turn. */
    private static final int TURN_BYTES = 1 << 20;

    private final EventLoop loop;
    private final Owner owner;
    private final Endpoint endpoint;
    private final InetSocketAddress address;
    private final SocketChannel channel;
    private final byte[] headBytes = new byte[ResponseHead.MAX_BYTES];
    private final ByteBuffer headBuffer = ByteBuffer.wrap(headBytes);
    private @Nullable Transport transport; // once connected
    private @Nullable SelectionKey key;
    private @Nullable SSLContext tls;
    private @Nullable Exchange exchange;
    private ByteBuffer request = ByteBuffer.allocate(0);
    private boolean connected;
    private boolean established; // and encrypted, if it is to be
    private boolean inBody;
    private boolean reusable; // after the present answer
    private boolean used; // for an exchange before the present one
    private boolean closed;
    private long lastProgressNanos;
    private final long openedNanos;
    private long bodyStartNanos;
    private long bodyBytes; // after the head

    /** The pool that owns connections. */
    interface Owner {
        /** Called when the connection can be used for another exchange. */
        void idle(HttpConnection connection);

        /** Called when a body has arrived, with the time from the head to its end. */
        void received(HttpConnection connection, long bytes, long nanos);

        /** Called when the connection has ended. */
        void closed(HttpConnection connection);

        /** Called when the connection could not be made, or ended within a response. */
        void failed(HttpConnection connection);

        /**
         * Called when the connection had been idle, and ended before any part of the response: the
         * exchange must be sent again on another one.
         */
        void again(Exchange exchange, HttpConnection ended);
    }

    HttpConnection(
            EventLoop loop,
            Owner owner,
            Endpoint endpoint,
            InetSocketAddress address,
            SSLContext tls)
            throws IOException {
        this.loop = loop;
        this.owner = owner;
        this.endpoint = endpoint;
        this.address = address;
        this.tls = endpoint.secure() ? tls : null;
        this.channel = SocketChannel.open();
        this.lastProgressNanos = loop.now();
        this.openedNanos = lastProgressNanos;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    InetSocketAddress address() {
        return address;
    }

    /** The time of the last progress, by the clock of the event loop. */
    long lastProgressNanos() {
        return lastProgressNanos;
    }

    /** The time at which it began to connect, by the clock of the event loop. */
    long openedNanos() {
        return openedNanos;
    }

    boolean isConnected() {
        return connected;
    }

    boolean isBusy() {
        return exchange != null;
    }

    /** Starts to connect, for its first exchange. */
    void open(Exchange first) {
        exchange = first;
        first.sendOn(this);
        request = ByteBuffer.wrap(first.requestHead());
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            boolean done = channel.connect(address);
            key = loop.register(channel, done ? 0 : SelectionKey.OP_CONNECT, this);
            if (done) {
                connectionMade();
                proceed();
            }
        } catch (IOException | RuntimeException e) {
            end(e instanceof IOException cause ? cause : new IOException(e));
        }
    }

    /** Sends another request on this idle connection. */
    void send(Exchange next) {
        used = true;
        exchange = next;
        next.sendOn(this);
        request = ByteBuffer.wrap(next.requestHead());
        lastProgressNanos = loop.now();
        try {
            write(requireNonNull(transport));
            watch(requireNonNull(transport));
        } catch (IOException e) {
            end(e);
        }
    }

    @Override
    public void ready() {
        if (closed) {
            return;
        }
        try {
            if (!connected) {
                channel.finishConnect();
                connectionMade();
            }
            proceed();
        } catch (IOException e) {
            end(e);
        }
    }

    private void connectionMade() throws IOException {
        connected = true;
        lastProgressNanos = loop.now();
        transport =
                tls == null
                        ? new PlainTransport(channel)
                        : new TlsTransport(channel, tls, endpoint);
    }

    private void proceed() throws IOException {
        Transport open = requireNonNull(transport);
        if (!established) {
            established = open.handshake();
            lastProgressNanos = loop.now();
        }
        write(open);
        if (established) {
            readTurn(open);
        }
        watch(open);
    }

    private void write(Transport open) throws IOException {
        if (established ? request.hasRemaining() : open.wantsWrite()) {
            open.write(established ? request : ByteBuffer.allocate(0));
        }
    }

    private void watch(Transport open) {
        SelectionKey own = requireNonNull(key);
        if (own.isValid()) {
            boolean writes = established && request.hasRemaining() || open.wantsWrite();
            own.interestOps(SelectionKey.OP_READ | (writes ? SelectionKey.OP_WRITE : 0));
        }
    }

    /** Reads until no bytes are available, or other connections must get their turn. */
    private void readTurn(Transport open) throws IOException {
        for (int left = TURN_BYTES; left > 0 && !closed; ) {
            Exchange present = exchange;
            ByteBuffer into = inBody ? requireNonNull(present).target() : headBuffer;
            int room = into.remaining();
            int count = open.read(into, loop.scratch());
            if (count < 0) {
                throw new SocketException(
                        "The server closed the connection"); // not the object's end
            }
            if (count == 0) {
                return;
            }
            left -= count;
            lastProgressNanos = loop.now();
            if (present == null) {
                throw new IOException("The server sent what it was not asked for");
            }
            if (inBody) {
                bodyBytes += count;
                follow(present, present.received(count));
            } else {
                readHead(present);
            }
            // Less than there was room for: the socket is empty, and another read would cost a
            // system call
            if (count < Math.min(room, loop.scratch().capacity()) && tls == null) {
                return;
            }
        }
        if (!closed) {
            loop.execute(this::ready); // what was read ahead does not make the socket ready
        }
    }

    private void readHead(Exchange present) throws IOException {
        int length = headBuffer.position();
        int end = ResponseHead.end(headBytes, 0, length);
        if (end < 0) {
            if (!headBuffer.hasRemaining()) {
                throw new IOException(
                        "Expected a head of at most %d bytes".formatted(ResponseHead.MAX_BYTES));
            }
            return;
        }
        ResponseHead head = ResponseHead.parse(headBytes, end);
        if (head.status() < 200) { // an interim answer
            ByteBuffer rest = ByteBuffer.wrap(headBytes, end, length - end).slice();
            headBuffer.clear().put(rest);
            readHead(present);
            return;
        }
        reusable = head.keepsAlive();
        inBody = true;
        bodyBytes = 0;
        bodyStartNanos = loop.now();
        Exchange.Next next = present.begins(head);
        ByteBuffer rest = ByteBuffer.wrap(headBytes, end, length - end);
        while (next == Exchange.Next.MORE && rest.hasRemaining()) {
            ByteBuffer target = present.target();
            int count = Math.min(target.remaining(), rest.remaining());
            target.put(rest.slice(rest.position(), count));
            rest.position(rest.position() + count);
            next = present.received(count);
        }
        if (next == Exchange.Next.END && rest.hasRemaining()) {
            reusable = false; // it sent more bytes than it announced
        }
        headBuffer.clear();
        follow(present, next);
    }

    private void follow(Exchange present, Exchange.Next next) {
        switch (next) {
            case MORE -> {}
            case END -> {
                detach();
                owner.received(this, bodyBytes, loop.now() - bodyStartNanos);
                if (reusable) {
                    owner.idle(this);
                } else {
                    close();
                }
                present.notifyListener();
            }
            case DROP -> {
                detach();
                close();
                if (present.wasRefused()) {
                    present.notifyListener();
                }
            }
        }
    }

    private void detach() {
        exchange = null;
        inBody = false;
        headBuffer.clear();
    }

    /** Called when the peer ended the connection, or sent bytes that end it. */
    private void end(IOException cause) {
        Exchange present = exchange;
        boolean fresh = !used;
        detach();
        close();
        if (present == null) {
            return;
        }
        if (!fresh && !present.hasBegun()) {
            owner.again(present, this);
            return;
        }
        owner.failed(this);
        present.ended(cause);
    }

    /** Closes the connection after a timeout. */
    void timedOut(String what) {
        Exchange present = exchange;
        detach();
        close();
        owner.failed(this);
        if (present != null) {
            present.ended(new IOException(what));
        }
    }

    /** Closes the connection because its exchange is not wanted any more. */
    void drop() {
        detach();
        close();
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            // it is gone all the same
        }
        owner.closed(this);
    }

    @Override
    public void closed() {
        Exchange present = exchange;
        detach();
        close();
        if (present != null) {
            present.fail(new IOException("The store was closed"));
        }
    }
}
