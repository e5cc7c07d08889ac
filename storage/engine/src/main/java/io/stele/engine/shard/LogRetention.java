package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.ShardTables.LsnRange;
import io.stele.engine.shard.record.RetainedRecords;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The calculation, for the trimming of the node's log, of the log records of a shard that a later
 * start would need. Confined to the shard's context.
 */
final class LogRetention {
    private final ShardState state;
    private final ShardTables tables;
    private final PreparedTransactions prepared;
    private final WriterWindows writers;
    private OptionalLong stoppedLsn = OptionalLong.empty(); // see releaseMemory

    LogRetention(ShardState state, PreparedTransactions prepared, WriterWindows writers) {
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.prepared = requireNonNull(prepared, "prepared is null");
        this.writers = requireNonNull(writers, "writers is null");
    }

    /**
     * The lowest log LSN that this shard still needs in the log; {@code Long.MAX_VALUE} if none. A
     * failed shard needs no records there: {@link #retainedRecords} are stored elsewhere. On the
     * context.
     */
    long minLogLsn() {
        return !state.isFailed() ? neededByTables() : Long.MAX_VALUE;
    }

    private long neededByTables() {
        return Math.min(neededByRows(), neededByWriters());
    }

    private long neededByRows() {
        long lowest = prepared.minLogLsn();
        for (TableShard table : tables.all()) {
            lowest = Math.min(lowest, table.minLogLsn());
        }
        return lowest;
    }

    /**
     * Without a serving table no writer gets an answer, and the records retained for set-aside
     * tables include the writers' outcomes.
     */
    private long neededByWriters() {
        return tables.all().isEmpty() ? Long.MAX_VALUE : writers.minUnsavedLsn();
    }

    /**
     * The time since when the log is retained only for the outcomes of writers, in epoch
     * milliseconds; a new manifest would release it. On the context.
     */
    OptionalLong heldForWritersSince() {
        long needed = neededByWriters();
        return needed < neededByRows()
                ? OptionalLong.of(new Lsn(needed).millis())
                : OptionalLong.empty();
    }

    /**
     * The records that this shard will not put into files, and that a later start needs. On the
     * context.
     */
    Optional<RetainedRecords> retainedRecords() {
        if (state.isFailed()) {
            return Optional.of(
                    new RetainedRecords(
                            stoppedLsn.isPresent() ? stoppedLsn.getAsLong() : neededOnceStopped(),
                            Long.MAX_VALUE,
                            Optional.empty()));
        }
        Collection<SetAsideTable> aside = tables.setAside();
        Map<TableId, LsnRange> lost = tables.lost();
        if (aside.isEmpty() && lost.isEmpty()) {
            return Optional.empty();
        }
        long first = tables.all().isEmpty() ? writers.minUnsavedLsn() : Long.MAX_VALUE;
        long last = 0;
        Set<TableId> ids = new HashSet<>();
        for (SetAsideTable table : aside) {
            first = Math.min(first, table.firstLsn());
            last = Math.max(last, table.lastLsn());
            ids.add(table.table().schema().id());
        }
        for (Map.Entry<TableId, LsnRange> table : lost.entrySet()) {
            first = Math.min(first, table.getValue().first().value());
            last = Math.max(last, table.getValue().last().value());
            ids.add(table.getKey());
        }
        return Optional.of(new RetainedRecords(first, last, Optional.of(ids)));
    }

    /** The LSN of the first record that a start needs after the shard stopped. */
    private long neededOnceStopped() {
        // A shard that stopped before the end of replay cannot know which records it needs
        long first =
                state.isRecovered()
                        ? Math.min(neededByTables(), state.applied().applied().value() + 1)
                        : 1;
        for (SetAsideTable table : tables.setAside()) {
            first = Math.min(first, table.firstLsn());
        }
        return first;
    }

    /**
     * Frees the memory of a stopped shard, which will not be read or flushed. On the context, while
     * the apply workers are idle.
     */
    void releaseMemory() {
        if (state.isFailed() && stoppedLsn.isEmpty()) {
            stoppedLsn = OptionalLong.of(neededOnceStopped());
            tables.all().forEach(TableShard::releaseMemory);
        }
    }
}
