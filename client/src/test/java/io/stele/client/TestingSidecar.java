package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.ShardRouting;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.auth.SharedSecretToken;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.GetTable;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.protocol.wire.WriteReply;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * A sidecar with one table in memory, behind the real wire codec, with scripted faults. It shows
 * what it applied. Guarded by its own lock.
 */
final class TestingSidecar implements AutoCloseable {
    static final String SECRET = "the secret of the tests";

    /** What to do with a write. */
    enum Fault {
        NONE,
        /** The connection breaks before the batch is applied. */
        BREAK_BEFORE,
        /** The batch is applied, but the connection breaks before the answer. */
        BREAK_AFTER,
        /** The batch is applied, but no answer comes, ever. */
        SWALLOW,
        /** The answer is no answer. */
        BABBLE
    }

    private record Writer(UUID id, ShardId shard) {}

    /** What is known of a writer: all sequences applied, for checking, and the last LSN. */
    private static final class Applied {
        private final Set<Long> sequences = new HashSet<>();
        private long lastSequence;
        private Lsn lsn = Lsn.MIN;
    }

    private final Function<ServerSocket, ServerSocket> wrapper;
    private final int port;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Map<Writer, Applied> applied = new HashMap<>();
    private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    private final List<byte[]> appended = new ArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final List<Integer> batchSizes = new CopyOnWriteArrayList<>();
    private ServerSocket server;
    private volatile Thread acceptor;
    private TableSchema schema;
    private long operations;
    private long duplicates;
    private long connections;
    private long multiGets;
    private long describes;
    private long nextLsn = 1;
    private boolean held;
    private volatile int maxUnansweredBatches = WireLimits.MAX_UNANSWERED_BATCHES;
    private volatile int maxReplyBytes = 1 << 20;
    private volatile Function<Write, Fault> faults = write -> Fault.NONE;
    private volatile Function<Write, Optional<ErrorReply>> refusals = write -> Optional.empty();

    TestingSidecar(TableSchema schema) throws IOException {
        this(schema, Function.identity());
    }

    TestingSidecar(TableSchema schema, Function<ServerSocket, ServerSocket> wrapper)
            throws IOException {
        this.schema = schema;
        this.wrapper = wrapper;
        this.server = openAnywhere();
        this.port = server.getLocalPort();
        this.acceptor = serve(server);
    }

    /**
     * Listens below the ports that systems give to outgoing connections: one of those could be
     * taken by anybody between a stop and a restart.
     */
    private ServerSocket openAnywhere() throws IOException {
        while (true) {
            try {
                return open(ThreadLocalRandom.current().nextInt(15_000, 30_000));
            } catch (BindException e) {
                // taken: try another
            }
        }
    }

    private ServerSocket open(int wantedPort) throws IOException {
        ServerSocket created = wrapper.apply(new ServerSocket());
        created.setReuseAddress(true);
        created.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wantedPort));
        return created;
    }

    int port() {
        return port;
    }

    /** Stops listening and breaks every connection; the port is free when this returns. */
    void stop() throws IOException {
        synchronized (this) {
            server.close();
        }
        try {
            acceptor.join(); // until it leaves accept(), the system goes on listening
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        breakConnections();
    }

    synchronized void restart() throws IOException {
        server = open(port);
        acceptor = serve(server);
    }

    void breakConnections() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    void faults(Function<Write, Fault> value) {
        faults = value;
    }

    void refusals(Function<Write, Optional<ErrorReply>> value) {
        refusals = value;
    }

    void maxReplyBytes(int value) {
        maxReplyBytes = value;
    }

    /** Replaces the table. */
    synchronized void table(TableSchema value) {
        if (!value.id().equals(schema.id())) {
            rows.clear();
            appended.clear();
        }
        schema = value;
    }

    /** What the next greetings say. */
    void setMaxUnansweredBatches(int value) {
        maxUnansweredBatches = value;
    }

    /** Leaves writes waiting, unread and unanswered, until released. */
    synchronized void hold() {
        held = true;
    }

    synchronized void release() {
        held = false;
        notifyAll();
    }

    synchronized TreeMap<byte[], byte[]> rows() {
        return new TreeMap<>(rows);
    }

    synchronized List<byte[]> appended() {
        return List.copyOf(appended);
    }

    synchronized long operations() {
        return operations;
    }

    synchronized long duplicates() {
        return duplicates;
    }

    synchronized long connections() {
        return connections;
    }

    synchronized long multiGets() {
        return multiGets;
    }

    synchronized long describes() {
        return describes;
    }

    List<Integer> batchSizes() {
        return batchSizes;
    }

    /** What a client must never do. */
    List<String> violations() {
        return violations;
    }

    @Override
    public void close() throws IOException {
        release();
        stop();
    }

    private Thread serve(ServerSocket listening) {
        return start(
                () -> {
                    while (!listening.isClosed()) {
                        try {
                            Socket socket = listening.accept();
                            admit(listening, socket);
                        } catch (IOException e) {
                            return; // closed
                        }
                    }
                });
    }

    /** A connection that was accepted while listening ended is not served. */
    private void admit(ServerSocket listening, Socket socket) throws IOException {
        if (listening.isClosed()) {
            socket.close();
            return;
        }
        sockets.add(socket);
        start(() -> converse(socket));
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "testing-sidecar");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void converse(Socket socket) {
        try (socket) {
            FrameReader reader =
                    new FrameReader(socket.getInputStream(), WireLimits.MAX_HELLO_BYTES);
            FrameWriter writer = new FrameWriter(socket.getOutputStream());
            if (!greet(reader, writer)) {
                return;
            }
            for (Frame frame = reader.read(); frame != null; frame = reader.read()) {
                if (!answer(frame, writer)) {
                    return;
                }
                if (!reader.hasBuffered()) {
                    writer.flush();
                }
            }
        } catch (IOException e) {
            // The client went away, or the test broke the connection.
        } catch (RuntimeException e) {
            violations.add("broken by " + e);
        } finally {
            sockets.remove(socket);
        }
    }

    private boolean greet(FrameReader reader, FrameWriter writer) throws IOException {
        Frame frame = reader.read();
        if (frame == null) {
            return false;
        }
        try {
            new SharedSecretToken(SECRET, Clock.systemUTC()).verify(Hello.decode(frame).token());
        } catch (SteleException e) {
            writer.write(FrameType.ERROR, 0, new ErrorReply(e.code(), e.getMessage()).encode());
            writer.flush();
            return false;
        }
        synchronized (this) {
            connections++;
        }
        writer.write(
                FrameType.HELLO_REPLY,
                0,
                new HelloReply(
                                WireLimits.VERSION,
                                "testing",
                                WireLimits.MAX_FRAME_BYTES,
                                100,
                                maxUnansweredBatches)
                        .encode());
        writer.flush();
        reader.setMaxFrameBytes(WireLimits.MAX_FRAME_BYTES);
        return true;
    }

    private boolean answer(Frame frame, FrameWriter writer) throws IOException {
        switch (frame.type()) {
            case GET_TABLE -> describe(frame, writer);
            case MULTI_GET -> multiGet(frame, writer);
            case WRITE -> {
                return write(frame, writer);
            }
            default -> violations.add("unexpected " + frame.type());
        }
        return true;
    }

    private synchronized void describe(Frame frame, FrameWriter writer) throws IOException {
        GetTable request = GetTable.decode(frame);
        describes++;
        if (!request.tableName().equals(schema.tableName())) {
            error(
                    frame,
                    writer,
                    ErrorCode.TABLE_NOT_FOUND,
                    "Table " + request.tableName() + " does not exist");
            return;
        }
        NodeAddress self = new NodeAddress("testing", "", 0, 0);
        TableDescription description =
                new TableDescription(
                        schema,
                        TableStatistics.EMPTY,
                        ShardRouting.single(self, schema.shardCount()));
        writer.write(FrameType.GET_TABLE_REPLY, frame.requestId(), ApiJson.write(description));
    }

    private synchronized void multiGet(Frame frame, FrameWriter writer) throws IOException {
        MultiGet request = MultiGet.decode(frame);
        multiGets++;
        if (!request.tableId().equals(schema.id())) {
            error(frame, writer, ErrorCode.STALE_TABLE, "Table id " + request.tableId());
            return;
        }
        List<Optional<byte[]>> found =
                request.keys().stream().map(key -> Optional.ofNullable(rows.get(key))).toList();
        writer.write(
                FrameType.MULTI_GET_REPLY,
                frame.requestId(),
                new MultiGetReply(schema.schemaVersion(), found).encode(maxReplyBytes));
    }

    private boolean write(Frame frame, FrameWriter writer) throws IOException {
        Write write = Write.decode(frame);
        awaitRelease();
        Fault fault = faults.apply(write);
        if (fault == Fault.BREAK_BEFORE) {
            writer.flush();
            return false;
        }
        Optional<ErrorReply> refusal = refusals.apply(write).or(() -> staleness(write));
        if (refusal.isPresent()) {
            writer.write(FrameType.ERROR, frame.requestId(), refusal.get().encode());
            writer.flush(); // before the next write, which a test may keep waiting
            return true;
        }
        Lsn lsn = apply(write);
        return switch (fault) {
            case BREAK_AFTER -> false;
            case SWALLOW -> true;
            case BABBLE -> {
                writer.write(FrameType.PING_REPLY, frame.requestId(), new byte[0]);
                yield true;
            }
            default -> {
                writer.write(
                        FrameType.WRITE_REPLY, frame.requestId(), new WriteReply(lsn, 0).encode());
                yield true;
            }
        };
    }

    private synchronized void awaitRelease() {
        while (held) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private synchronized Optional<ErrorReply> staleness(Write write) {
        WriteBatchReader batch =
                new WriteBatchReader(write.payload(), write.batchOffset(), write.batchLength());
        Applied known = applied.get(new Writer(write.writerId(), write.shard()));
        if (known != null && write.sequence() <= known.lastSequence) {
            return Optional
                    .empty(); // what was applied is answered as such, whatever the table is now
        }
        return batch.tableId().equals(schema.id())
                        && batch.schemaVersion() == schema.schemaVersion()
                ? Optional.empty()
                : Optional.of(new ErrorReply(ErrorCode.STALE_TABLE, "Table id " + batch.tableId()));
    }

    private synchronized Lsn apply(Write write) {
        Applied known =
                applied.computeIfAbsent(
                        new Writer(write.writerId(), write.shard()), ignored -> new Applied());
        if (write.sequence() <= known.lastSequence) {
            duplicates++;
            if (!known.sequences.contains(write.sequence())) {
                violations.add("sequence " + write.sequence() + " after " + known.lastSequence);
            }
            return known.lsn;
        }
        known.sequences.add(write.sequence());
        known.lastSequence = write.sequence();
        known.lsn = new Lsn(nextLsn++);
        WriteBatchReader batch =
                new WriteBatchReader(write.payload(), write.batchOffset(), write.batchLength());
        batchSizes.add(batch.operationCount());
        while (batch.next()) {
            operations++;
            if (batch.kind() == OperationKind.UPSERT) {
                rows.put(batch.key(), batch.row());
            } else if (batch.kind() == OperationKind.DELETE) {
                rows.remove(batch.key());
            } else {
                appended.add(batch.row());
            }
        }
        return known.lsn;
    }

    private static void error(Frame frame, FrameWriter writer, ErrorCode code, String message)
            throws IOException {
        writer.write(FrameType.ERROR, frame.requestId(), new ErrorReply(code, message).encode());
    }
}
