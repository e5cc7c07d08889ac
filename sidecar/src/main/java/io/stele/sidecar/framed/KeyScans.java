package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.KeyDirection;
import io.stele.engine.read.KeyRange;
import io.stele.engine.read.KeyRangeLimits;
import io.stele.engine.read.KeyRangePage;
import io.stele.engine.read.KeyRangeScan;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.Scan;
import io.stele.protocol.wire.ScanReply;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/**
 * The handler of key range scans of the framed server, one page a request, scheduled like lookups.
 * As in {@link MultiGets}, a page has little room for its rows at first, and more as rows are found
 * and room is free; it ends where there is none. Only a page without room for its first row waits,
 * and it holds nothing meanwhile. Thread-safe.
 *
 * <p>Invariant: the rows of all pages have their bytes taken from {@code replies} until the client
 * has them, but for one row and one key of each; while one that descends is read, as many bytes
 * again are in its window.
 */
final class KeyScans {
    // 64 KiB: what most pages need, and a thousandth of the default budget.
    private static final int FIRST_BYTES = 64 << 10;
    // The bytes of a reply besides its rows and the bound of the next page.
    private static final int HEAD_BYTES = 32;
    // 16 MiB: any row fits, and a page of more would keep others from their turn.
    private static final int MAX_PAGE_BYTES = WireLimits.MAX_ROW_BYTES;

    private final EngineService engine;
    private final ReadMetrics metrics;
    private final ReplyBudget replies;
    private final ThreadFactory threads;
    private final int maxReplyBytes;

    /**
     * @param replies bytes of replies that their clients have not yet received
     * @param threads starts the threads that wait for room
     */
    KeyScans(
            EngineService engine,
            ReadMetrics metrics,
            ReplyBudget replies,
            ThreadFactory threads,
            int maxReplyBytes) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.maxReplyBytes = maxReplyBytes;
    }

    /** Reads a page and replies, on this thread or later on another. */
    void answer(Request request, boolean mayRunHere) {
        Scan scan = Scan.decode(request.frame());
        int rowBytes = Math.min(scan.maxBytes(), FIRST_BYTES);
        Optional<ReplyBudget.Room> taken = replies.tryTake(replyBytes(rowBytes));
        if (taken.isPresent()) {
            read(request, scan, room(scan, rowBytes, taken.get()), mayRunHere);
        } else {
            awaitRoom(request, scan, rowBytes);
        }
    }

    private int replyBytes(int rowBytes) {
        return Math.min(HEAD_BYTES + rowBytes, maxReplyBytes);
    }

    private ReplyRoom room(Scan scan, int rowBytes, ReplyBudget.Room taken) {
        int wanted = Math.min(scan.maxBytes(), MAX_PAGE_BYTES);
        return new ReplyRoom(taken, rowBytes, this::replyBytes, wanted, MAX_PAGE_BYTES, 0);
    }

    private void awaitRoom(Request request, Scan scan, int rowBytes) {
        ReplyRoom.await(
                replies,
                threads,
                request,
                replyBytes(rowBytes),
                taken -> read(request, scan, room(scan, rowBytes, taken), false));
    }

    private void read(Request request, Scan scan, ReplyRoom room, boolean mayRunHere) {
        long start = System.nanoTime();
        try {
            QueryScheduler queries = engine.queries();
            KeyRangeScan page =
                    engine.engine()
                            .startKeyScan(
                                    scan.tableId(),
                                    scan.shard(),
                                    scan.readLsn(),
                                    new KeyRange(scan.lower(), scan.upper()),
                                    scan.isDescending()
                                            ? KeyDirection.DESCENDING
                                            : KeyDirection.ASCENDING,
                                    new KeyRangeLimits(
                                            scan.maxRows(),
                                            Math.min(scan.maxBytes(), MAX_PAGE_BYTES)),
                                    room);
            CompletableFuture<KeyRangePage> read =
                    queries.lookUp(
                            queries.group(request.connection().identity()), page, mayRunHere);
            boolean isHere = mayRunHere && read.isDone();
            read.whenComplete(
                    (found, failure) -> {
                        if (found == null) {
                            room.fail(request, requireNonNull(failure));
                        } else {
                            finish(request, scan, room, found, start, isHere);
                        }
                    });
        } catch (RuntimeException | Error e) {
            room.fail(request, e);
        }
    }

    private void finish(
            Request request,
            Scan scan,
            ReplyRoom room,
            KeyRangePage found,
            long start,
            boolean isHere) {
        if (found.neededBytes() == 0) {
            metrics.scannedByKey(
                    found.rows().size(), found.versionsRead(), System.nanoTime() - start);
            room.send(
                    request,
                    FrameType.SCAN_REPLY,
                    isHere,
                    () ->
                            new ScanReply(
                                            found.schemaVersion(),
                                            found.lsn(),
                                            found.rows(),
                                            found.next())
                                    .payload());
            return;
        }
        if (room.rowBytes() >= MAX_PAGE_BYTES && room.rowBytes() >= found.neededBytes()) {
            room.fail(
                    request,
                    new SteleException(
                            ErrorCode.INTERNAL,
                            "Expected room for a row of %s bytes, found %s"
                                    .formatted(found.neededBytes(), room.rowBytes())));
            return;
        }
        long largest = (long) maxReplyBytes - WireLimits.MAX_BOUND_BYTES - HEAD_BYTES;
        if (found.neededBytes() > largest) {
            room.fail(
                    request,
                    new SteleException(
                            ErrorCode.ROW_TOO_LARGE,
                            "Expected a row of at most %s bytes, found one of %s"
                                    .formatted(largest, found.neededBytes())));
            return;
        }
        room.close();
        awaitRoom(request, scan, (int) found.neededBytes());
    }
}
