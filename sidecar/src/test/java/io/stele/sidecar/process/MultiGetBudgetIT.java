package io.stele.sidecar.process;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameReader;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import io.stele.testing.SidecarProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many clients that ask a sidecar with a heap of 512 MiB for more than a GiB of rows at once, some
 * of which take no reply: the replies stay within their budget, the others wait for room and get
 * their rows, small ones go past them, and in the end the budget is whole.
 */
@Timeout(300)
final class MultiGetBudgetIT {
    private static final int LIMIT_BYTES = 65 << 20; // the least that may be configured
    private static final int LARGE_LIMIT_BYTES = LIMIT_BYTES - LIMIT_BYTES / 8;
    private static final int ROWS = 40;
    private static final int TEXT_BYTES = 1 << 20;
    private static final long SMALL_ROW = ROWS;
    private static final Pattern BYTE_ARRAYS =
            Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+) +\\[B( |$)");

    /** No reply has fewer bytes where it has not all rows: so many of them fill the budget. */
    private static final int REPLY_BYTES = 15 << 20;

    /** All that find room, where none is taken. */
    private static final int STALLED_REPLIES = LARGE_LIMIT_BYTES / REPLY_BYTES;

    /** What else comes and goes: buffers of connections, threads that wait, the status itself. */
    private static final int MARGIN_BYTES = 8 << 20;

    private static final int SLOW_CLIENTS = 4;
    private static final int REQUESTS_OF_SLOW_CLIENT = 6;
    private static final int CLIENTS = 4;

    private final List<byte[]> rows = new ArrayList<>(); // encoded, by id
    private SidecarProcess process;
    private SidecarProcess.Ports ports;
    private TableSchema orders;

    // All read as of then: the cache of present rows would share them between lookups
    private Optional<Lsn> loaded = Optional.empty();

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        Map<String, String> properties = TestingSidecar.properties(directory);
        properties.put("stele.client.max-pending-bytes", "65MB");
        process = SidecarProcess.launch(directory, properties);
        ports = process.awaitReady();
        try (FlightClient flight =
                new FlightClient(
                        "127.0.0.1",
                        ports.flight(),
                        Optional.empty(),
                        TestingSidecar.tokens(TestingSidecar.SECRET))) {
            orders =
                    TestingSidecar.createTable(flight, SampleTables.orders(Orientation.ROW))
                            .schema();
            load();
            // From files each lookup has rows of its own
            flight.action(MaintenanceActions.FLUSH, TableRequest.of("shop", "orders"));
        }
    }

    @AfterEach
    void end() {
        process.kill();
    }

    private void load() {
        RowEncoder encoder = new RowEncoder(RowLayout.of(orders.columns()));
        try (SteleClient client = client();
                TableWriter writer = client.writer("shop", "orders")) {
            for (long id = 0; id <= ROWS; id++) {
                byte[] text = text(id).getBytes(US_ASCII);
                writer.upsert(id, text(id), null, null);
                encoder.reset();
                encoder.setLong(0, id);
                encoder.setBytes(1, text, 0, text.length);
                rows.add(encoder.finishToArray());
            }
            loaded = Optional.of(writer.flush());
        }
    }

    private static String text(long id) {
        return id == SMALL_ROW
                ? "small"
                : Character.toString('a' + (int) (id % 26)).repeat(TEXT_BYTES);
    }

    @Test
    void repliesStayWithinTheirBudget() throws Exception {
        checkRows(0, ROWS + 1); // what is cached of the files is, from now on
        long before = liveArrayBytes();
        List<Peer> slow = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Status status = new Status()) {
            for (int i = 0; i < SLOW_CLIENTS; i++) {
                Peer peer = new Peer();
                slow.add(peer);
                for (int j = 0; j < REQUESTS_OF_SLOW_CLIENT; j++) {
                    peer.ask(j, 0);
                }
            }
            int waiting = SLOW_CLIENTS * REQUESTS_OF_SLOW_CLIENT - STALLED_REPLIES;
            status.await(now -> now.waiting() >= waiting);
            // Of rows and replies of lookups that have ended, and of those that wait
            assertThat(liveArrayBytes())
                    .isBetween(
                            before + STALLED_REPLIES * (long) REPLY_BYTES,
                            before + LIMIT_BYTES + MARGIN_BYTES);
            checkRows(SMALL_ROW, ROWS + 1); // goes past all that wait

            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(CompletableFuture.runAsync(() -> checkRows(0, ROWS), threads));
            }
            status.await(now -> now.waiting() >= waiting + clients.size());
            assertThat(clients).noneMatch(CompletableFuture::isDone);

            for (Peer peer : slow.subList(0, SLOW_CLIENTS / 2)) {
                peer.close(); // with a reply on its way, and requests that wait
            }
            for (Peer peer : slow.subList(SLOW_CLIENTS / 2, SLOW_CLIENTS)) {
                clients.add(CompletableFuture.runAsync(peer::readAll, threads));
            }
            for (CompletableFuture<Void> client : clients) {
                client.get(180, TimeUnit.SECONDS);
            }
            for (Peer peer : slow) {
                peer.close();
            }
            status.await(
                    now ->
                            now.replyBytes() == 0
                                    && now.waiting() == 0
                                    && now.pendingBytes() == 0
                                    && now.connections() == 0);
            assertThat(status.maxReplyBytes())
                    .isGreaterThanOrEqualTo(STALLED_REPLIES * (long) REPLY_BYTES);
        } finally {
            for (Peer peer : slow) {
                peer.close();
            }
        }
        assertThat(process.terminate()).isIn(0, 143);
        assertThat(process.output()).doesNotContain("OutOfMemoryError");
    }

    /** Behind one that waits for 16 MiB, of which there are but 10 when it has them. */
    @Test
    void aLookupWaitsForWhatItsRowsNeed() throws Exception {
        try (Peer stalled = new Peer();
                Peer large = new Peer();
                Peer smaller = new Peer();
                Status status = new Status()) {
            for (int i = 0; i < STALLED_REPLIES; i++) {
                stalled.ask(i, 0);
            }
            status.await(now -> now.replyBytes() >= STALLED_REPLIES * (long) REPLY_BYTES);
            large.ask(0, 0);
            status.await(now -> now.waiting() == 1);
            smaller.ask(0, ROWS - 10);
            status.await(now -> now.waiting() == 2);
            stalled.read();
            smaller.readAll();
            stalled.read(); // it was not disconnected meanwhile
            stalled.read();
        }
    }

    /** Bytes of all byte arrays that are in use, of any kind. */
    private long liveArrayBytes() throws IOException {
        String histogram = process.jcmd("GC.class_histogram");
        Matcher arrays = BYTE_ARRAYS.matcher(histogram);
        assertThat(arrays.find()).as(histogram).isTrue();
        return Long.parseLong(arrays.group(1));
    }

    private SteleClient client() {
        return SteleClient.builder()
                .endpoint("127.0.0.1", ports.client())
                .secret(TestingSidecar.SECRET)
                .build();
    }

    /** As our own client reads them. */
    private void checkRows(long from, long to) {
        try (SteleClient client = client()) {
            List<Object[]> keys =
                    LongStream.range(from, to).mapToObj(id -> new Object[] {id}).toList();
            List<Optional<List<Object>>> found =
                    client.table("shop", "orders").multiGet(keys, loaded);
            for (long id = from; id < to; id++) {
                List<Object> row = found.get((int) (id - from)).orElseThrow();
                assertThat(row.get(0)).isEqualTo(id);
                assertThat(row.get(1).equals(text(id))).as("text of row %s", id).isTrue();
            }
        }
    }

    /** A client that reads when told to, and not before. */
    private final class Peer implements AutoCloseable {
        private final Socket socket = new Socket("127.0.0.1", ports.client());
        private final FrameReader reader =
                new FrameReader(socket.getInputStream(), WireLimits.MAX_FRAME_BYTES);
        private final FrameWriter writer = new FrameWriter(socket.getOutputStream());
        private final KeyEncoder keys = KeyEncoder.forPrimaryKey(orders);

        /** The first row that a request still has to get. */
        private final Map<Integer, Integer> open = new HashMap<>();

        Peer() throws IOException {
            String token = TestingSidecar.tokens(TestingSidecar.SECRET).token();
            writer.write(
                    FrameType.HELLO,
                    0,
                    new Hello(WireLimits.VERSION, token, "test", Optional.empty()).encode());
            writer.flush();
            assertThat(read().type()).isEqualTo(FrameType.HELLO_REPLY);
        }

        private Frame read() throws IOException {
            return requireNonNull(reader.read(), "the connection ended");
        }

        void ask(int requestId, int from) throws IOException {
            open.put(requestId, from);
            List<byte[]> asked =
                    LongStream.range(from, ROWS)
                            .mapToObj(id -> keys.encodeObjects(List.of(id)))
                            .toList();
            MultiGet get = new MultiGet(orders.id(), orders.schemaVersion(), loaded, asked);
            writer.write(FrameType.MULTI_GET, requestId, get.encode());
            writer.flush();
        }

        void readAll() {
            try {
                while (!open.isEmpty()) {
                    readOne();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void readOne() throws IOException {
            Frame frame = read();
            assertThat(frame.type()).isEqualTo(FrameType.MULTI_GET_REPLY);
            int next = requireNonNull(open.remove(frame.requestId()), "nobody asked");
            for (Optional<byte[]> row : MultiGetReply.decode(frame).rows()) {
                // Not by AssertJ, whose message would have all of it
                assertThat(Arrays.equals(row.orElseThrow(), rows.get(next)))
                        .as("row %s", next)
                        .isTrue();
                next++;
            }
            if (next < ROWS) {
                ask(frame.requestId(), next);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** What the sidecar says of its framed port, all the time. */
    private final class Status implements AutoCloseable {
        private final HttpClient http = HttpClient.newHttpClient();
        private final CompletableFuture<Void> watched;
        private volatile boolean stopped;
        private volatile Endpoints latest = new Endpoints(0, 0, 0, 0);
        private volatile long maxReplyBytes;

        Status() {
            watched = CompletableFuture.runAsync(this::watch, task -> new Thread(task).start());
        }

        private void watch() {
            while (!stopped) {
                Endpoints now = ask();
                maxReplyBytes = Math.max(maxReplyBytes, now.replyBytes());
                latest = now;
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
        }

        private Endpoints ask() {
            try {
                HttpRequest request =
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:" + ports.http() + "/v1/status"))
                                .header(
                                        "Authorization",
                                        TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                                .build();
                JsonNode endpoints =
                        new ObjectMapper()
                                .readTree(http.send(request, BodyHandlers.ofString()).body())
                                .get("endpoints");
                return new Endpoints(
                        endpoints.get("framedConnections").asLong(),
                        endpoints.get("framedPendingBytes").asLong(),
                        endpoints.get("framedReplyBytes").asLong(),
                        endpoints.get("framedWaitingReplies").asLong());
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException("No status", e);
            }
        }

        void await(Predicate<Endpoints> condition) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            while (!condition.test(latest)) {
                assertThat(watched).as(process::output).isNotDone();
                assertThat(System.nanoTime()).as(latest::toString).isLessThan(deadline);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
        }

        long maxReplyBytes() {
            return maxReplyBytes;
        }

        @Override
        public void close() {
            stopped = true;
            watched.exceptionally(failed -> null).join();
            http.close();
        }
    }

    private record Endpoints(long connections, long pendingBytes, long replyBytes, long waiting) {}
}
