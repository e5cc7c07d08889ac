package io.stele.engine.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.write.BatchValidator;
import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogHold;
import io.stele.engine.wal.LogListener;
import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.NodeLog;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.RecoveredLog;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TestWriteAppender {
    private static final ShardId SHARD = new ShardId(1, 0);
    private static final int QUEUE_BYTES = 1_000;
    private static final TableSchema SCHEMA =
            TableSchema.builder("s", "without_key")
                    .columns(List.of(new ColumnSchema(1, "text", DataType.parse("varchar"))))
                    .build();

    private final TableShard table =
            new TableShard(
                    SHARD,
                    TableVersions.of(SCHEMA),
                    new RowCache("rows", 1, () -> 0),
                    ParallelReads.of(new InMemoryObjectStore()));
    private long sequence;

    @Test
    @Timeout(300)
    void tryAppendNeverWaitsForAnAppendThatWaitsForRoom() throws Exception {
        try (NodeLog log = start()) {
            WriteAppender appender = new WriteAppender(SHARD, () -> new LogOfNode(log));
            LogHold hold = log.hold(Set.of(SHARD)).join();
            append(appender, QUEUE_BYTES); // whatever waits behind the hold is full now
            Thread waiting = Thread.ofPlatform().start(() -> append(appender, QUEUE_BYTES));
            while (waiting.getState() != Thread.State.WAITING) {
                assertThat(waiting.isAlive()).isTrue();
                Thread.onSpinWait();
            }

            assertThat(
                            CompletableFuture.supplyAsync(() -> tryAppend(appender))
                                    .get(120, TimeUnit.SECONDS))
                    .isFalse();
            hold.release();
            waiting.join();
            while (!tryAppend(appender)) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                Thread.onSpinWait(); // until the log has written what waited
            }
        }
    }

    private static NodeLog start() throws Exception {
        return NodeLog.start(
                RecoveredLog.recover(
                        new InMemoryLogFiles(CrashPoint.never(), new Random(1)),
                        new LogOptions(1 << 20, 64 << 10, QUEUE_BYTES, 5_000),
                        new HybridClock(() -> 1_000),
                        (shard, lsn, type, payload) -> {}),
                new Ignoring(),
                Thread::new);
    }

    private void append(WriteAppender appender, int bytes) {
        QueuedWrite write = write(bytes);
        appender.append(
                write,
                new Resolution.Accepted(write.batch(), 0),
                WriteTicket.PASSED_BY,
                (refused, cause) -> {});
    }

    private boolean tryAppend(WriteAppender appender) {
        QueuedWrite write = write(1);
        return appender.tryAppend(
                write,
                new Resolution.Accepted(write.batch(), 0),
                WriteTicket.PASSED_BY,
                (refused, cause) -> {});
    }

    private synchronized QueuedWrite write(int bytes) {
        WriteBatchBuilder batch = new WriteBatchBuilder(SCHEMA.id(), SCHEMA.schemaVersion());
        batch.append(Rows.toBytes(RowLayout.of(SCHEMA.columns()), "x".repeat(bytes)));
        return new QueuedWrite(
                new UUID(1, 1),
                ++sequence,
                table,
                new WriteBatchReader(batch.toByteArray()),
                new BatchValidator.Summary(1, false),
                new CompletableFuture<>());
    }

    private static final class Ignoring implements LogListener {
        @Override
        public void onDurable(ShardId shard, List<DurableRecord> durable) {}

        @Override
        public void onFailure(SteleException cause) {}
    }

    private record LogOfNode(NodeLog log) implements ShardLog {
        @Override
        public boolean hasRoom(long bytes) {
            return log.hasRoom(bytes);
        }

        @Override
        public CompletableFuture<LogPosition> append(
                ShardId shard,
                RecordType type,
                List<ByteBuffer> payload,
                @Nullable Object attachment) {
            return log.append(shard, type, payload, attachment);
        }

        @Override
        public CompletableFuture<LogPosition> appendNow(
                ShardId shard,
                RecordType type,
                List<ByteBuffer> payload,
                @Nullable Object attachment) {
            return log.appendNow(shard, type, payload, attachment);
        }

        @Override
        public Optional<CompletableFuture<LogPosition>> tryAppend(
                ShardId shard,
                RecordType type,
                List<ByteBuffer> payload,
                @Nullable Object attachment) {
            return log.tryAppend(shard, type, payload, attachment);
        }

        @Override
        public int recordBytes() {
            return log.recordBytes();
        }

        @Override
        public LogMark durable() {
            return log.durable();
        }
    }
}
