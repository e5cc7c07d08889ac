package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.Scan;
import io.stele.protocol.wire.ScanReply;
import io.stele.protocol.wire.WireLimits;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the rows of one shard of a {@link RowScan}, which fetches the next page while the
 * present one is read. Confined to one thread.
 */
final class ShardPages {
    // 10: with pauses that double from 2 ms, two seconds of a busy sidecar.
    private static final int MAX_REFUSALS = 10;
    private static final long MIN_PAUSE_MILLIS = 2;
    private static final long MAX_PAUSE_MILLIS = 10_000;

    private final Connection connection;
    private final TableSchema schema;
    private final int shard;
    private final ScanOptions options;
    private final RowLayout layout;
    private final BinaryRow view;
    private final KeyEncoder keys;
    private byte[] lower;
    private Optional<byte[]> upper;
    private long unfetched; // rows that may still be requested
    private @Nullable CompletableFuture<Frame> coming;
    private List<byte[]> rows = List.of();
    private int position = -1;
    private byte[] key = new byte[0];

    ShardPages(
            Connection connection,
            TableSchema schema,
            int shard,
            byte[] lower,
            Optional<byte[]> upper,
            ScanOptions options,
            RowLayout layout,
            KeyEncoder keys) {
        this.connection = connection;
        this.schema = schema;
        this.shard = shard;
        this.lower = lower;
        this.upper = upper;
        this.options = options;
        this.layout = layout;
        this.view = new BinaryRow(layout);
        this.keys = keys;
        this.unfetched = options.limit();
        checkVersion();
        this.coming = fetch();
    }

    /** Checks that the sidecar supports the scan; an older one would end the connection. */
    private void checkVersion() {
        if (connection.version() == 0) {
            IdempotentRequest ping =
                    new IdempotentRequest(FrameType.PING, FrameType.PING_REPLY, new byte[0]);
            connection.submit(ping);
            SteleClient.await(ping.reply());
        }
        int needed =
                options.isDescending()
                        ? WireLimits.DESCENDING_SCAN_VERSION
                        : WireLimits.SCAN_VERSION;
        if (connection.version() < needed) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a sidecar that speaks version %s of the protocol to scan%s, found version %s at %s"
                            .formatted(
                                    needed,
                                    options.isDescending() ? " with descending keys" : "",
                                    connection.version(),
                                    connection.endpoint()));
        }
    }

    /** Moves to the next row; false at the end. */
    boolean advance() {
        position++;
        while (position >= rows.size()) {
            CompletableFuture<Frame> page = coming;
            if (page == null) {
                return false;
            }
            take(page);
        }
        byte[] row = rows.get(position);
        layout.validateStructure(row, 0, row.length);
        key = keys.encode(view.wrap(row));
        return true;
    }

    /** The key of the present row. */
    byte[] key() {
        return key;
    }

    /** The present row. */
    byte[] row() {
        return rows.get(position);
    }

    private void take(CompletableFuture<Frame> page) {
        ScanReply reply = ScanReply.decode(answered(page));
        if (reply.schemaVersion() != schema.schemaVersion()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected rows of version %s of table %s, found version %s: scan it again"
                            .formatted(
                                    schema.schemaVersion(),
                                    schema.qualifiedName(),
                                    reply.schemaVersion()));
        }
        rows = reply.rows();
        position = 0;
        unfetched -= rows.size();
        coming = null;
        if (reply.next().isPresent() && unfetched > 0) {
            if (options.isDescending()) {
                upper = reply.next();
            } else {
                lower = reply.next().get();
            }
            coming = fetch();
        }
    }

    private Frame answered(CompletableFuture<Frame> page) {
        CompletableFuture<Frame> asked = page;
        for (int refusals = 0; ; refusals++) {
            try {
                return SteleClient.await(asked);
            } catch (SteleException failed) {
                if (failed.code() != ErrorCode.BUSY || refusals == MAX_REFUSALS) {
                    throw failed;
                }
                long hintMillis =
                        failed.getCause() instanceof SteleException busy
                                ? busy.retryAfterMillis().orElse(0)
                                : 0;
                long millis = Math.max(hintMillis, MIN_PAUSE_MILLIS << refusals);
                LockSupport.parkNanos(
                        this, TimeUnit.MILLISECONDS.toNanos(Math.min(millis, MAX_PAUSE_MILLIS)));
                asked = fetch();
            }
        }
    }

    private CompletableFuture<Frame> fetch() {
        Scan scan =
                new Scan(
                        schema.id(),
                        schema.schemaVersion(),
                        shard,
                        options.readLsn(),
                        lower,
                        upper,
                        options.isDescending(),
                        (int) Math.min(options.pageRows(), unfetched),
                        options.pageBytes());
        IdempotentRequest request =
                new IdempotentRequest(FrameType.SCAN, FrameType.SCAN_REPLY, scan.encode());
        connection.submit(request);
        return request.reply();
    }
}
