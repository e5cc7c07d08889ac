package io.stele.engine.wal;

import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * What the tests of the log share: files, clock, a listener that remembers, and short ways to
 * append and read back.
 */
final class LogFixture {
    static final ShardId A = new ShardId(1, 0);
    static final ShardId B = new ShardId(1, 1);
    static final ShardId C = new ShardId(2, 0);

    /** Small segments and groups, so that short tests see many. */
    static final LogOptions SMALL = new LogOptions(2_000, 500, 10_000, 5_000);

    private LogFixture() {}

    /** A record as it was read back. */
    record Read(ShardId shard, Lsn lsn, RecordType type, String text) {}

    /** Remembers what became durable, in order. */
    static final class Remembering implements LogListener {
        final List<DurableRecord> records = Collections.synchronizedList(new ArrayList<>());
        final CompletableFuture<SteleException> failure = new CompletableFuture<>();

        @Override
        public void onDurable(ShardId shard, List<DurableRecord> durable) {
            records.addAll(durable);
        }

        @Override
        public void onFailure(SteleException cause) {
            failure.complete(cause);
        }

        List<DurableRecord> of(ShardId shard) {
            synchronized (records) {
                return records.stream().filter(record -> record.shard().equals(shard)).toList();
            }
        }
    }

    static InMemoryLogFiles files() {
        return new InMemoryLogFiles(CrashPoint.never(), new Random(1));
    }

    /**
     * A clock that stands at 1970 plus one second: its LSNs are {@code 65,536,000}, and one more
     * each.
     */
    static HybridClock clock() {
        return new HybridClock(() -> 1_000);
    }

    static List<Read> read(LogFiles files) throws IOException {
        List<Read> result = new ArrayList<>();
        RecoveredLog.recover(files, SMALL, clock(), collector(result));
        return result;
    }

    static ReplayConsumer collector(List<Read> target) {
        return (shard, lsn, type, payload) ->
                target.add(
                        new Read(
                                shard,
                                lsn,
                                type,
                                StandardCharsets.UTF_8.decode(payload.duplicate()).toString()));
    }

    static RecoveredLog recover(LogFiles files) throws IOException {
        return RecoveredLog.recover(files, SMALL, clock(), (shard, lsn, type, payload) -> {});
    }

    static NodeLog unthreaded(LogFiles files) throws IOException {
        return NodeLog.unthreaded(recover(files), new Remembering());
    }

    static CompletableFuture<LogPosition> write(NodeLog log, ShardId shard, String text) {
        return log.append(shard, RecordType.WRITE, text(text), null);
    }

    static List<ByteBuffer> text(String text) {
        return List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static void commitAll(NodeLog log) {
        while (log.commitWaiting()) {
            // until nothing waits
        }
    }
}
