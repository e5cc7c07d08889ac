package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.JobStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The in-memory registry of a node's maintenance jobs: running jobs by id and by their work, and
 * recently ended jobs. A restart loses it, and a client that waits for a job has to request the job
 * again.
 *
 * <p>Guarded by its own lock; work is begun outside of it.
 */
public final class Jobs implements AutoCloseable {
    /** The maximal number of running jobs, each for a waiting or an abandoned statement. */
    static final int MAX_OPEN = 1_000;

    /** The maximal number of ended jobs, some hundred bytes each. */
    static final int MAX_ENDED = 1_000;

    static final long ENDED_MILLIS = TimeUnit.HOURS.toMillis(24);

    private static final long BUSY_MILLIS = 1_000;

    private final String idPrefix;
    private final LongSupplier nowMillis;
    private final Map<String, Job> open = new LinkedHashMap<>();
    private final Map<JobKey, Job> openByKey = new HashMap<>(); // the newest for each key
    private final Deque<Job> ended = new ArrayDeque<>();
    private long lastNumber;
    private boolean closed;

    /**
     * @param idPrefix the prefix of all ids, which no earlier process used
     */
    public Jobs(String idPrefix, LongSupplier nowMillis) {
        this.idPrefix = requireNonNull(idPrefix, "idPrefix is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
    }

    /**
     * The running job for this work, or a new one.
     *
     * @param user the user of the request, if it names one
     * @param work starts the work, or a further round of it; completes with the job's result
     * @throws SteleException BUSY if there are too many jobs; UNAVAILABLE if closed
     */
    public Job run(
            JobKey key,
            TableName table,
            Optional<String> user,
            Function<Progress, CompletableFuture<Long>> work) {
        boolean isNewRound = key.kind().coversOnlyThePast();
        Job job;
        synchronized (this) {
            Job present = openByKey.get(key);
            if (present != null && present.join(user, isNewRound)) {
                if (!isNewRound) {
                    return present;
                }
                job = present;
            } else {
                checkRoom();
                job = add(key, table, Optional.empty(), user);
                job.begin();
            }
        }
        job.follow(begin(work, job.progress()));
        return job;
    }

    private static CompletableFuture<Long> begin(
            Function<Progress, CompletableFuture<Long>> work, Progress progress) {
        try {
            return work.apply(progress);
        } catch (RuntimeException | Error failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    /**
     * Adds a job for work that is queued behind other work and reports its start itself. It is
     * never refused, because its callers have a limit of their own.
     *
     * @param index the name of the index to build
     * @param work completes with its end
     */
    public synchronized Job queue(
            JobKey key, TableName table, String index, CompletableFuture<Long> work) {
        Job job = add(key, table, Optional.of(index), Optional.empty());
        job.follow(work);
        return job;
    }

    /** The running job for this work, or the last ended one; a running job counts the request. */
    public synchronized Optional<Job> findLast(JobKey key, Optional<String> user) {
        Job present = openByKey.get(key);
        if (present != null) {
            present.join(user, false);
            return Optional.of(present);
        }
        Iterator<Job> newestFirst = ended.descendingIterator();
        while (newestFirst.hasNext()) {
            Job job = newestFirst.next();
            if (job.key().equals(key)) {
                return Optional.of(job);
            }
        }
        return Optional.empty();
    }

    private Job add(JobKey key, TableName table, Optional<String> index, Optional<String> user) {
        lastNumber++;
        Job job =
                new Job(
                        idPrefix + Long.toHexString(lastNumber),
                        key,
                        table,
                        index,
                        user,
                        nowMillis,
                        this::end);
        job.addRound();
        open.put(job.id(), job);
        openByKey.put(key, job);
        return job;
    }

    private void checkRoom() {
        if (closed) {
            throw stopping();
        }
        if (open.size() >= MAX_OPEN) {
            throw SteleException.busy(
                    "Expected fewer than %d jobs at a time, found %d; stele.system.jobs lists them"
                            .formatted(MAX_OPEN, open.size()),
                    BUSY_MILLIS);
        }
    }

    private synchronized void end(Job job) {
        open.remove(job.id());
        openByKey.remove(job.key(), job);
        ended.addLast(job);
        forgetOld();
    }

    private void forgetOld() {
        long limit = nowMillis.getAsLong() - ENDED_MILLIS;
        while (ended.size() > MAX_ENDED
                || (!ended.isEmpty()
                        && ended.getFirst().status().endedMillis().orElseThrow() < limit)) {
            ended.removeFirst();
        }
    }

    /** The job of an id, unless it ended long ago. */
    public synchronized Optional<Job> find(String id) {
        Job present = open.get(id);
        if (present != null) {
            return Optional.of(present);
        }
        return ended.stream().filter(job -> job.id().equals(id)).findFirst();
    }

    /**
     * Requests that a job stops.
     *
     * @param user the user of the request, if it names one
     * @throws SteleException INVALID_ARGUMENT if there is no job of the id, or it has ended
     */
    public Job cancel(String id, Optional<String> user) {
        Job job =
                find(id).orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.INVALID_ARGUMENT,
                                                "Expected the id of a job, as stele.system.jobs has them, found '%s'"
                                                        .formatted(id)));
        job.cancel(user);
        return job;
    }

    /** The status of ended jobs, in the order of their end, then of running jobs, oldest first. */
    public synchronized List<JobStatus> list() {
        forgetOld();
        List<JobStatus> all = new ArrayList<>();
        ended.forEach(job -> all.add(job.status()));
        open.values().forEach(job -> all.add(job.status()));
        return all;
    }

    /** The number of running jobs. */
    public synchronized int openCount() {
        return open.size();
    }

    /**
     * Ends all running jobs as failed; their work ends with the process, or the next process
     * continues it.
     */
    @Override
    public void close() {
        List<Job> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(open.values());
        }
        all.forEach(job -> job.fail(stopping()));
    }

    private static SteleException stopping() {
        return new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is stopping");
    }
}
