package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.storage.wal.DurableRecord;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The durable records of a shard on their way into memory: applied one after the other, then
 * acknowledged.
 *
 * <p>Invariant: records are applied in LSN order, each once. A record that cannot be applied only
 * because the store does not answer is tried again, and what comes after it waits; any other
 * failure stops the shard.
 *
 * <p>Confined to the shard's context, except for {@link #storeWait}.
 */
final class ApplyQueue {
    private final TableGroupShard shard;
    private final RecordApplier applier;
    private final WriteAnswers answers;
    private final AppliedLsn applied;
    private final WriteResolver resolver;
    private final LongSupplier nowMillis;
    private final Deque<DurableRecord> unapplied = new ArrayDeque<>(); // while it waits
    private volatile @Nullable StoreWait storeWait; // set by the context
    private Runnable afterApply = () -> {};

    ApplyQueue(
            TableGroupShard shard,
            RecordApplier applier,
            WriteAnswers answers,
            AppliedLsn applied,
            WriteResolver resolver,
            LongSupplier nowMillis) {
        this.shard = requireNonNull(shard, "shard is null");
        this.applier = requireNonNull(applier, "applier is null");
        this.answers = requireNonNull(answers, "answers is null");
        this.applied = requireNonNull(applied, "applied is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
    }

    /** {@code newAfterApply} is called whenever records were applied; before the first one. */
    void start(Runnable newAfterApply) {
        afterApply = requireNonNull(newAfterApply, "newAfterApply is null");
    }

    /** Calls what is called when records were applied. */
    void runAfterApply() {
        afterApply.run();
    }

    /** Applies records that come after all before. */
    void applyAll(List<DurableRecord> records) {
        if (storeWait != null) {
            unapplied.addAll(records);
        } else {
            applyNow(records, null);
        }
    }

    /** Applies what waits for the store, if it is time to ask it again. */
    void retryApply() {
        StoreWait waiting = storeWait;
        if (waiting != null && nowMillis.getAsLong() >= waiting.nextMillis()) {
            List<DurableRecord> records = List.copyOf(unapplied);
            unapplied.clear();
            applyNow(records, waiting);
        }
    }

    /** The shard stopped: tells those who wait for what is not applied. */
    void dropUnapplied() {
        List<DurableRecord> records = List.copyOf(unapplied);
        unapplied.clear();
        storeWait = null;
        answers.send(records, 0, shard.failure());
    }

    /** What the application of records waits for, if it does; any thread. */
    Optional<StoreWait> storeWait() {
        return Optional.ofNullable(storeWait);
    }

    /**
     * @param waited if the first record was tried before
     */
    private void applyNow(List<DurableRecord> records, @Nullable StoreWait waited) {
        int done = 0;
        StoreWait wait = null;
        if (shard.failure().isEmpty()) {
            try {
                for (DurableRecord record : records) {
                    applier.apply(record);
                    done++;
                }
            } catch (IOException | RuntimeException broken) {
                if (StoreWait.isOutage(broken)) {
                    Lsn lsn = records.get(done).lsn();
                    wait = StoreWait.next(waited, shard.id(), lsn, broken, nowMillis.getAsLong());
                    unapplied.addAll(records.subList(done, records.size()));
                } else {
                    shard.fail(stopped(records.get(done).lsn(), broken));
                }
            }
        }
        storeWait = wait;
        if (done > 0) {
            applied.advance(records.get(done - 1).lsn());
        }
        answers.send(wait == null ? records : records.subList(0, done), done, shard.failure());
        resolver.afterApply();
        afterApply.run();
    }

    private SteleException stopped(Lsn lsn, Exception broken) {
        return new SteleException(
                broken instanceof SteleException known ? known.code() : ErrorCode.INTERNAL,
                "Shard %s stopped at LSN %s: %s".formatted(shard.id(), lsn, broken),
                broken);
    }
}
