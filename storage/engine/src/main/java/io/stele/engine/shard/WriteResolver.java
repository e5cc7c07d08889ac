package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.shard.write.BatchEvaluation;
import io.stele.engine.shard.write.BatchProbes;
import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.shard.write.Resolution.Accepted;
import io.stele.engine.shard.write.Resolution.Refused;
import io.stele.engine.shard.write.Resolution.Undecided;
import io.stele.engine.shard.write.TableChanges;
import io.stele.engine.shard.write.UniqueIndexCheck;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The resolver of batches whose outcome depends on the present rows, before they are logged. So the
 * log has the result, and replay cannot find another one. There is one resolver for each shard.
 *
 * <p>These batches are all with conditional operations, and all of tables with a unique index.
 * While none is queued or in flight, writes bypass this class and nothing is noted of them.
 * Otherwise every write of the shard queues here, plain ones too, so that the order of arrival is
 * the order of the log. They are evaluated one after the other on the shard's context, against
 * logged but not applied changes, then memory, then files. Each is appended without waiting for the
 * one before. Lookup threads read files; reads for waiting batches start ahead.
 *
 * <p>Before the first batch is evaluated, the writes that bypassed this class must be applied.
 * While a transaction holds the shard's log nothing is evaluated ({@link #pause}): it changes rows
 * at the LSN of the hold, which is below the LSNs of the records that wait. A transaction that
 * commits in one phase is evaluated in its turn ({@link #inTurn}), like a batch, and its changes
 * are noted.
 *
 * <p>Invariant: the state against which a batch was evaluated is the shard's state when its record
 * is applied. Invariant: {@code active} is true while something is queued or noted. Invariant: the
 * notes of a table come from the checks that the table has now.
 *
 * <p>Confined to the shard's context, except where noted.
 */
final class WriteResolver {
    private static final long QUEUE_LIMIT_BYTES =
            64L << 20; // as the write gate's: a client's buffer, not a second memtable

    private static final int ASKED_AHEAD = 16; // batches whose lookups overlap

    private final ShardState state;
    private final UniqueIndexChecks checks;
    private final DamagedTables damaged;
    private final WriteAppender appender;
    private final WriteRefusals refusals;
    private final TableFiles files;
    private final Executor lookups;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<QueuedWrite> queue = new ArrayDeque<>();

    @GuardedBy("lock")
    private long queuedBytes;

    @GuardedBy("lock")
    private boolean scheduled;

    private volatile boolean active; // written under lock
    private final AtomicInteger passing = new AtomicInteger(); // bypassed, not applied; any thread
    private final Map<TableId, TableChanges> changes = new HashMap<>();
    private final List<CompletableFuture<@Nullable Void>> awaitingAppend = new ArrayList<>();
    private final List<CompletableFuture<@Nullable Void>> awaitingDrain = new ArrayList<>();
    private final Deque<Turn<?>> awaitingTurn = new ArrayDeque<>();
    private boolean drained; // all writes that bypassed are applied
    private boolean appending; // a batch waits for room in the log
    private int pauses;
    private long epoch; // of the notes
    private long lastNumber;
    private int inFlight; // appended here in this epoch, not applied
    private int conditionalInFlight;

    /**
     * @param lookups runs what waits for files or for room in the log
     */
    WriteResolver(
            ShardState state,
            UniqueIndexChecks checks,
            DamagedTables damaged,
            WriteAppender appender,
            WriteRefusals refusals,
            TableFiles files,
            Executor lookups) {
        this.state = requireNonNull(state, "state is null");
        this.checks = requireNonNull(checks, "checks is null");
        this.damaged = requireNonNull(damaged, "damaged is null");
        this.appender = requireNonNull(appender, "appender is null");
        this.refusals = requireNonNull(refusals, "refusals is null");
        this.files = requireNonNull(files, "files is null");
        this.lookups = requireNonNull(lookups, "lookups is null");
    }

    /**
     * Queues a write, or lets it bypass. After a bypass the caller must append it and call {@link
     * #applied} with {@link WriteTicket#PASSED_BY}, or {@link #dropped}. Any thread.
     *
     * @return false: the write bypasses, and the caller appends it now
     * @throws SteleException BUSY when too many bytes are queued
     */
    boolean take(QueuedWrite write) {
        boolean passes = !write.isConditional() && !write.table().view().hasUniqueIndex();
        if (passes && !active) {
            passing.incrementAndGet();
            if (!active) {
                return false;
            }
            dropped();
        }
        synchronized (lock) {
            int sizeBytes = write.batch().sizeBytes();
            if (queuedBytes + sizeBytes > QUEUE_LIMIT_BYTES && !queue.isEmpty()) {
                throw new SteleException(
                        ErrorCode.BUSY,
                        "Expected at most %d bytes of conditional writes waiting in shard %s, found %d"
                                .formatted(QUEUE_LIMIT_BYTES, state.id(), queuedBytes + sizeBytes));
            }
            queue.add(write);
            queuedBytes += sizeBytes;
            active = true;
        }
        schedule();
        return true;
    }

    /** Notes that a write that bypassed is not in the log. Any thread. */
    void dropped() {
        if (passing.decrementAndGet() == 0 && active) {
            schedule();
        }
    }

    /** Bytes of batches that wait here; any thread. */
    long queuedBytes() {
        synchronized (lock) {
            return queuedBytes;
        }
    }

    /**
     * Completes on the context when all writes that were evaluated or bypassed before the call are
     * applied, including those of committing transactions. It fails when the shard stops.
     */
    CompletableFuture<@Nullable Void> drain() {
        CompletableFuture<@Nullable Void> drain = new CompletableFuture<>();
        synchronized (lock) {
            active = true; // so that no more writes bypass
        }
        awaitingDrain.add(drain);
        forgetNotes();
        schedule();
        return drain;
    }

    /**
     * Handles changed columns of a table: the notes have rows of the earlier version, which must be
     * applied first.
     */
    void altered() {
        if (active) {
            forgetNotes();
            schedule();
        }
    }

    /**
     * Evaluates no batch until {@link #resume}; completes when all evaluated batches are in the
     * log's queue. Any thread.
     */
    CompletableFuture<@Nullable Void> pause() {
        CompletableFuture<@Nullable Void> paused = new CompletableFuture<>();
        state.context()
                .execute(
                        () -> {
                            pauses++;
                            if (appending) {
                                awaitingAppend.add(paused);
                            } else {
                                paused.complete(null);
                            }
                        });
        return paused;
    }

    /** Ends a pause; the changes of the transaction here must be applied. Any thread. */
    void resume() {
        state.context()
                .execute(
                        () -> {
                            pauses--;
                            run();
                        });
    }

    /**
     * Gives a commit its turn: evaluates no batch until {@link #resume}, and runs a step on the
     * context when all evaluated batches are in the log's queue and all writes that bypassed are
     * applied. Then the notes have all changes in flight. Any thread.
     *
     * @param step computes the value of the returned future; empty: it runs again when nothing is
     *     in flight
     */
    <T> CompletableFuture<T> inTurn(Callable<Optional<T>> step) {
        Turn<T> turn = new Turn<>(step, new CompletableFuture<>());
        state.context()
                .submit(
                        () -> {
                            pauses++;
                            synchronized (lock) {
                                active = true; // so that no more writes bypass
                            }
                            awaitingTurn.add(turn);
                            run();
                            return true;
                        })
                .whenComplete(
                        (entered, dropped) -> {
                            if (dropped != null) {
                                turn.done().completeExceptionally(dropped);
                            }
                        });
        return turn.done();
    }

    private record Turn<T>(Callable<Optional<T>> step, CompletableFuture<T> done) {
        /** The completion of the turn; empty: the step must run again. */
        private Optional<Runnable> run() {
            try {
                return step.call().map(value -> () -> done.complete(value));
            } catch (Exception | Error failed) {
                return Optional.of(() -> done.completeExceptionally(failed));
            }
        }
    }

    private void runTurns() {
        while (!awaitingTurn.isEmpty() && !appending && (drained || passing.get() == 0)) {
            Optional<Runnable> completion = awaitingTurn.element().run();
            if (completion.isPresent()) {
                awaitingTurn.remove();
                completion.get().run();
            } else {
                forgetNotes();
            }
        }
    }

    /**
     * The notes of a table; empty: they lack claims that its checks would have noted. In a turn
     * only.
     */
    Optional<TableChanges> changes(TableShard table) {
        return checksChanged(table) ? Optional.empty() : Optional.of(notes(table));
    }

    private TableChanges notes(TableShard table) {
        return changes.computeIfAbsent(
                table.schema().id(), id -> new TableChanges(checks.of(table)));
    }

    /** Whether an evaluated batch or a noted write is not applied yet. In a turn only. */
    boolean hasInFlight() {
        return inFlight > 0;
    }

    /**
     * Notes the staged changes as one write, which must be in the log's queue before the turn ends,
     * or be {@link #undo undone}. In a turn only.
     */
    WriteTicket keep(Collection<TableChanges> staged) {
        // Also where nothing is staged: without notes the next turn would wait for this one
        WriteTicket ticket = new WriteTicket(epoch, ++lastNumber, true);
        inFlight++;
        conditionalInFlight++;
        staged.forEach(table -> table.keep(ticket.number()));
        return ticket;
    }

    /** Removes the notes of the last noted write, which is not logged. In its turn only. */
    void undo(WriteTicket ticket) {
        if (ticket.epoch() != epoch) {
            dropped();
            return;
        }
        inFlight--;
        conditionalInFlight--;
        changes.values().forEach(table -> table.undo(ticket.number()));
    }

    /** Removes the notes of a write whose record is applied. */
    void applied(WriteTicket ticket) {
        if (ticket.number() == 0 || ticket.epoch() != epoch) {
            dropped();
            return;
        }
        inFlight--;
        conditionalInFlight -= ticket.conditional() ? 1 : 0;
        for (TableChanges table : changes.values()) {
            table.applied(ticket.number());
        }
    }

    /** Continues after records were applied, or after the shard failed. */
    void afterApply() {
        if (active) {
            run();
        }
    }

    /** Continues in a later task, since apply workers are busy. */
    void afterParallelApply() {
        if (active) {
            schedule();
        }
    }

    private void schedule() {
        synchronized (lock) {
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        state.context()
                .execute(
                        () -> {
                            synchronized (lock) {
                                scheduled = false;
                            }
                            run();
                        });
    }

    private void run() {
        if (state.failure().isPresent()) {
            failAll(state.failure().get());
            return;
        }
        runTurns();
        askAhead();
        while (pauses == 0 && !appending) {
            if (!drained) {
                if (passing.get() > 0) {
                    return;
                }
                drained = true;
                awaitingDrain.forEach(drain -> drain.complete(null));
                awaitingDrain.clear();
            }
            QueuedWrite head;
            synchronized (lock) {
                head = queue.peek();
            }
            if (head == null) {
                deactivate();
                return;
            }
            if (checksChanged(head.table())) {
                forgetNotes(); // they lack what the new checks would have noted
                continue;
            }
            if (head.isAsking() || !resolve(head)) {
                return;
            }
            synchronized (lock) {
                queue.remove();
                queuedBytes -= head.batch().sizeBytes();
            }
        }
    }

    private boolean checksChanged(TableShard table) {
        TableChanges known = changes.get(table.schema().id());
        return known != null && !known.checks().equals(checks.of(table));
    }

    private void deactivate() {
        synchronized (lock) {
            if (conditionalInFlight > 0 || !queue.isEmpty()) {
                return;
            }
            forgetNotes();
            active = false;
        }
    }

    /** Changes in flight count as bypassed from now on: the next batch waits for them. */
    private void forgetNotes() {
        passing.addAndGet(inFlight);
        inFlight = 0;
        conditionalInFlight = 0;
        epoch++;
        changes.clear();
        drained = false;
    }

    private void failAll(SteleException cause) {
        List<QueuedWrite> left;
        synchronized (lock) {
            left = List.copyOf(queue);
            queue.clear();
            queuedBytes = 0;
        }
        left.forEach(write -> refusals.refuse(write, cause));
        awaitingAppend.forEach(paused -> paused.complete(null));
        awaitingAppend.clear();
        awaitingDrain.forEach(drain -> drain.completeExceptionally(cause));
        awaitingDrain.clear();
        while (!awaitingTurn.isEmpty()) {
            awaitingTurn.remove().done().completeExceptionally(cause);
        }
    }

    /** Starts the lookups of the batches at the head that have not been prepared. */
    private void askAhead() {
        List<QueuedWrite> ahead = new ArrayList<>();
        synchronized (lock) {
            Iterator<QueuedWrite> waiting = queue.iterator();
            for (int i = 0; i < ASKED_AHEAD && waiting.hasNext(); i++) {
                QueuedWrite write = waiting.next();
                boolean stale = state.tables().staleness(write.table(), write.batch()) != null;
                if (write.probes() == null && !stale) {
                    ahead.add(write);
                }
            }
        }
        for (QueuedWrite write : ahead) {
            BatchProbes probes = probes(write);
            boolean checked = !probes.checks().isEmpty();
            if (write.isConditional() || checked) {
                probes.require(write.table().view());
                if (write.isConditional()) {
                    TableChanges known = changes.get(write.table().schema().id());
                    probes.addRows(
                            write.batch(), key -> known != null && known.rows().find(key) != null);
                }
                if (checked) {
                    probes.addValues(write.batch(), write.table().layout());
                }
                if (probes.hasOpen()) {
                    ask(write, probes);
                }
            }
        }
    }

    private BatchProbes probes(QueuedWrite write) {
        List<UniqueIndexCheck> present = checks.of(write.table());
        BatchProbes probes = write.probes();
        if (probes == null || !probes.checks().equals(present)) {
            probes = new BatchProbes(write.table().schema(), files, present);
            write.setProbes(probes);
        }
        return probes;
    }

    private void ask(QueuedWrite write, BatchProbes probes) {
        BatchProbes.Question question = probes.takeOpen();
        write.setAsking(true);
        lookups.execute(
                () -> {
                    try {
                        BatchProbes.Answers answers = question.answer();
                        state.context().execute(() -> answered(write, probes, answers));
                    } catch (IOException | RuntimeException | Error broken) {
                        Exception cause = StoreWait.exception(broken);
                        state.context().execute(() -> unanswered(write, cause));
                    }
                });
    }

    private void answered(QueuedWrite write, BatchProbes probes, BatchProbes.Answers answers) {
        write.setAsking(false);
        probes.answer(answers);
        run();
    }

    // A batch cannot be skipped, since later ones were evaluated on its result. Either its lookups
    // are repeated at the next tick, or its table is set aside together with all of the table's
    // batches.
    private void unanswered(QueuedWrite write, Exception broken) {
        TableShard table = write.table();
        if (table.isDropped() || passes(table, broken)) {
            return;
        }
        damaged.setAside(
                table,
                "a write of table " + table.schema().id(),
                broken,
                state.applied().applied());
        write.setAsking(false);
        run();
    }

    private static boolean passes(TableShard table, Exception broken) {
        if (broken instanceof SteleException known) {
            return known.code() == ErrorCode.STORE_FAILED;
        }
        boolean isUnchecked = broken instanceof RuntimeException;
        // A file that is missing and in no view any more was compacted during the read
        return StoreWait.isOutage(broken)
                || (!isUnchecked && FailedFile.find(table, broken).isEmpty());
    }

    /** Repeats the lookups that failed. */
    void retry() {
        if (!active) {
            return;
        }
        synchronized (lock) {
            queue.forEach(write -> write.setAsking(false));
        }
        run();
    }

    private SteleException failed(Exception broken) {
        return new SteleException(
                broken instanceof SteleException known ? known.code() : ErrorCode.STORE_FAILED,
                "Shard %s stopped: what a write depends on cannot be read: %s"
                        .formatted(state.id(), broken),
                broken);
    }

    /** Evaluates the head of the queue and appends it; false: not yet. */
    private boolean resolve(QueuedWrite head) {
        TableShard table = head.table();
        SteleException stale = state.tables().staleness(table, head.batch());
        if (stale != null) {
            refusals.refuse(head, stale);
            return true;
        }
        if (head.batch().schemaVersion() > table.schema().schemaVersion()) {
            return false; // valid for columns that will soon be in effect; altered() handles it
        }
        if (!table.schema().hasPrimaryKey()) {
            return append(head, null, new Accepted(head.batch(), 0));
        }
        TableChanges tableChanges = notes(table);
        BatchProbes probes = probes(head);
        Resolution resolution;
        try {
            resolution =
                    BatchEvaluation.run(
                            table,
                            head.batch(),
                            head.isConditional(),
                            tableChanges,
                            probes,
                            state.presentLsn());
        } catch (SteleException impossible) {
            resolution = new Refused(impossible); // too large, once it is evaluated
        } catch (RuntimeException | Error broken) {
            state.fail(failed(StoreWait.exception(broken)));
            return false;
        }
        return switch (resolution) {
            case Undecided _ -> {
                tableChanges.takeBack();
                ask(head, probes);
                yield false;
            }
            case Refused refused -> {
                tableChanges.takeBack();
                yield append(head, null, refused);
            }
            case Accepted accepted -> {
                if (!state.log().hasRoom(accepted.batch().sizeBytes())) {
                    // The next tick tries again: what waits for room here would keep commits from
                    // ending, and these the log from being trimmed.
                    tableChanges.takeBack();
                    yield false;
                }
                yield append(head, tableChanges, accepted);
            }
        };
    }

    private boolean append(
            QueuedWrite write, @Nullable TableChanges tableChanges, Resolution resolution) {
        long number = lastNumber + 1;
        boolean checked = tableChanges != null && !tableChanges.checks().isEmpty();
        WriteTicket ticket = new WriteTicket(epoch, number, write.isConditional() || checked);
        boolean inQueue;
        try {
            inQueue = appender.tryAppend(write, resolution, ticket, this::unlogged);
        } catch (IllegalArgumentException tooLarge) {
            if (tableChanges != null) {
                tableChanges.takeBack();
            }
            return append(
                    write,
                    null,
                    new Refused(
                            new SteleException(
                                    ErrorCode.INVALID_ARGUMENT,
                                    String.valueOf(tooLarge.getMessage()),
                                    tooLarge)));
        }
        lastNumber = number;
        inFlight++;
        conditionalInFlight += ticket.conditional() ? 1 : 0;
        if (tableChanges != null) {
            tableChanges.keep(number);
        }
        if (!inQueue) {
            appending = true;
            lookups.execute(
                    () -> {
                        try {
                            appender.append(write, resolution, ticket, this::unlogged);
                        } catch (RuntimeException | Error broken) {
                            // Later batches were evaluated on it
                            SteleException cause = failed(StoreWait.exception(broken));
                            state.context().execute(() -> state.fail(cause));
                        } finally {
                            state.context().execute(this::appended);
                        }
                    });
        }
        return true;
    }

    /** Stops the shard, since the log refused a batch that was evaluated here. Any thread. */
    private void unlogged(QueuedWrite write, Throwable cause) {
        refusals.refuse(write, cause);
        // Later batches were evaluated on the assumption that this one is logged.
        state.context()
                .execute(
                        () ->
                                state.fail(
                                        new SteleException(
                                                ErrorCode.UNAVAILABLE,
                                                "Shard %s stopped: a batch it had worked out is not in the log: %s"
                                                        .formatted(state.id(), cause),
                                                cause)));
    }

    private void appended() {
        appending = false;
        awaitingAppend.forEach(paused -> paused.complete(null));
        awaitingAppend.clear();
        run();
    }
}
