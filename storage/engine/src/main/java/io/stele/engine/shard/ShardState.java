package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.apply.AppliedLsn;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that all parts of a shard share: its context, tables and clock, how far it is applied,
 * its log once it serves, and why it stopped, if it did. It knows none of the parts.
 *
 * <p>Invariant: a shard that stopped stays so, by its first failure. Any thread may call it.
 */
final class ShardState {
    private final ShardId id;
    private final ShardContext context;
    private final ShardTables tables;
    private final LongSupplier nowMillis;
    private final AppliedLsn applied = new AppliedLsn(); // guarded by itself
    private Runnable onFailure = () -> {};
    private volatile @Nullable ShardLog log; // set once, when the shard starts serving
    private volatile @Nullable SteleException failure;
    private volatile long failedMillis; // when it stopped, if it did: epoch milliseconds
    private volatile String failedObject; // the reason of the failure
    private volatile boolean recovered = true; // false: it stopped before the end of replay

    ShardState(ShardId id, ShardContext context, ShardTables tables, LongSupplier nowMillis) {
        this.id = requireNonNull(id, "id is null");
        this.failedObject = "shard " + id;
        this.context = requireNonNull(context, "context is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
    }

    /**
     * Sets the callback for a failure, before the shard is used.
     *
     * @param newOnFailure called once, on the context, when the shard stopped
     */
    void onFailure(Runnable newOnFailure) {
        onFailure = requireNonNull(newOnFailure, "newOnFailure is null");
    }

    /** Starts serving, after replay. */
    void start(ShardLog newLog) {
        log = requireNonNull(newLog, "newLog is null");
    }

    ShardId id() {
        return id;
    }

    ShardContext context() {
        return context;
    }

    ShardTables tables() {
        return tables;
    }

    long nowMillis() {
        return nowMillis.getAsLong();
    }

    /** The name of a damaged log record. */
    String recordName(Lsn lsn) {
        return "log/" + id + "/" + lsn;
    }

    AppliedLsn applied() {
        return applied;
    }

    /** The LSN of the present time, or the applied LSN if that is higher. */
    Lsn presentLsn() {
        Lsn now = Lsn.of(nowMillis.getAsLong(), 0);
        Lsn last = applied.applied();
        return now.compareTo(last) > 0 ? now : last;
    }

    /** The log, once the shard serves. */
    ShardLog log() {
        return requireNonNull(log, "log is null");
    }

    /** Whether the log has room for a write of this size; true before the shard serves. */
    boolean hasLogRoom(long bytes) {
        ShardLog present = log;
        return present == null || present.hasRoom(bytes);
    }

    /**
     * A serving table. Throws STALE_TABLE when it is not, or no longer, in this shard, or the
     * reason why it is set aside or the shard stopped.
     */
    TableShard table(TableId tableId) {
        checkNotFailed();
        return tables.get(tableId);
    }

    private void checkNotFailed() {
        SteleException cause = failure;
        if (cause != null) {
            throw new SteleException(cause.code(), String.valueOf(cause.getMessage()), cause);
        }
    }

    /** Throws when the shard stopped serving, or does not serve yet. */
    void checkServing() {
        checkNotFailed();
        if (log == null) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "Shard " + id + " is being recovered");
        }
    }

    /** Stops serving for good: memory or ownership can no longer be trusted. */
    void fail(SteleException cause) {
        fail("shard " + id, cause);
    }

    /**
     * Stops serving for good because of one object.
     *
     * @param object what cannot be used
     */
    void fail(String object, SteleException cause) {
        if (failure == null) {
            failedObject = object;
            failedMillis = nowMillis.getAsLong();
            failure = cause;
            applied.fail(cause);
            context.execute(onFailure);
        }
    }

    /**
     * Stops the shard before it serves, because it cannot be recovered completely.
     *
     * @param object what cannot be used
     */
    void stopRecovering(String object, Exception broken) {
        if (failure == null) {
            recovered = false;
        }
        fail(
                object,
                new SteleException(
                        broken instanceof SteleException known
                                ? known.code()
                                : ErrorCode.CORRUPT_DATA,
                        "Shard %s is set aside, since it cannot be recovered at %s: %s"
                                .formatted(id, object, broken),
                        broken));
    }

    /** Whether the shard did not stop before the end of replay. */
    boolean isRecovered() {
        return recovered;
    }

    boolean isFailed() {
        return failure != null;
    }

    /** Why the shard stopped, if it did. */
    Optional<SteleException> failure() {
        return Optional.ofNullable(failure);
    }

    /** The report for people of why the shard stopped, if it did. */
    Optional<Damage> damage() {
        return failure()
                .map(
                        stopped ->
                                new Damage(
                                        Optional.of(id),
                                        Optional.empty(),
                                        failedObject,
                                        String.valueOf(stopped.getMessage()),
                                        failedMillis));
    }
}
