package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.SnapshotLease;
import io.stele.client.lease.SnapshotLeases;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a reader that follows its shards, one after the other, and hands their changes
 * over. It never runs ahead further than the buffer has room, and keeps the history of all shards
 * meanwhile. The public methods are for the task's thread; all else is confined to its own.
 */
final class ChangeFetcher implements AutoCloseable {
    /** Of a chunk, and of a commit that can be asked for again when its stream breaks. */
    static final long CHUNK_BYTES = 4 << 20;

    /** Of all chunks that wait: the task has work while the next ones are fetched. */
    static final long BUFFER_BYTES = 16 << 20;

    /** The time between two looks at an answer that is on its way, or a task that is busy. */
    private static final Duration RECHECK_INTERVAL = Duration.ofMillis(2);

    /** The time between two looks at the leases while the task takes nothing. */
    private static final Duration FULL_INTERVAL = Duration.ofSeconds(1);

    /** The time between two looks at a shard that is paused. */
    private static final Duration PAUSED_INTERVAL = Duration.ofMillis(20);

    /** The time in which the thread may close its leases before it is interrupted. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private static final long JOIN_MILLIS = 100;

    /** Ends the thread. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    /**
     * The times of a fetcher.
     *
     * @param pollInterval how often a shard is asked for changes while there are none
     * @param unavailableTimeout how long the sidecar may be away
     * @param leaseTime that of leases, which are renewed in time
     */
    record Times(Duration pollInterval, Duration unavailableTimeout, Duration leaseTime) {}

    private final String tableName;
    private final ShardHistory history;
    private final ChangeBuffer buffer;
    private final Times times;
    private final Thread thread;
    private final ConcurrentLinkedQueue<ChangeSplit> added = new ConcurrentLinkedQueue<>();
    private final Set<Integer> paused = ConcurrentHashMap.newKeySet();
    private final List<FollowedShard> shards = new ArrayList<>();
    private volatile boolean isClosing;
    private volatile long lagMillis = -1; // as Flink writes that there is none

    ChangeFetcher(String tableName, ShardHistory history, ChangeBuffer buffer, Times times) {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.history = requireNonNull(history, "history is null");
        this.buffer = requireNonNull(buffer, "buffer is null");
        this.times = requireNonNull(times, "times is null");
        this.thread = new Thread(this::run, "stele-changes of " + tableName);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /**
     * Follows a shard, also before the start. Of a split with a snapshot the rows are read first.
     */
    void add(ChangeSplit split) {
        added.add(split);
        LockSupport.unpark(thread);
    }

    /**
     * Fetches no further changes of a shard, and keeps its history. Those that were fetched are
     * passed on, as well as the rest of a commit of which a part was.
     */
    void pause(int shard) {
        paused.add(shard);
    }

    /** Goes on with a shard. */
    void resume(int shard) {
        paused.remove(shard);
    }

    /** The time from the last commit that was fetched until then; negative: there was none. */
    long lagMillis() {
        return lagMillis;
    }

    /** Ends the thread and the leases. */
    @Override
    public void close() {
        isClosing = true;
        buffer.close();
        LockSupport.unpark(thread);
        if (!join(PATIENCE)) { // it waits for the sidecar
            thread.interrupt();
            if (!join(CLOSE_TIMEOUT)) {
                history.close();
                join(CLOSE_TIMEOUT);
            }
        }
    }

    private boolean join(Duration timeout) {
        boolean isInterrupted = false;
        long deadline = System.nanoTime() + timeout.toNanos();
        while (thread.isAlive() && System.nanoTime() < deadline) {
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    // ---- The thread

    private void run() {
        try {
            while (!isClosing) {
                for (ChangeSplit split = added.poll(); split != null; split = added.poll()) {
                    adopt(split);
                }
                long next = Long.MAX_VALUE;
                for (FollowedShard shard : shards) {
                    next = Math.min(next, step(shard));
                }
                // What waits for the sidecar may have taken the permit of a thread that woke this
                // one
                if (next > 0 && added.isEmpty() && !isClosing) {
                    LockSupport.parkNanos(this, next);
                }
            }
        } catch (Stopped stopped) {
            // by close
        } catch (IOException failed) {
            buffer.fail(failed);
        } catch (RuntimeException | Error failed) {
            buffer.fail(
                    new IOException(
                            "Cannot read the changes of table %s of Stele: %s"
                                    .formatted(tableName, failed),
                            failed));
        } finally {
            Thread.interrupted(); // closing is waiting, too
            shards.forEach(FollowedShard::close);
        }
    }

    /** A split again is one whose snapshot has been read. */
    private void adopt(ChangeSplit split) {
        for (FollowedShard shard : shards) {
            if (shard.split.shard() == split.shard()) {
                shard.split = split;
                shard.dueNanos = System.nanoTime();
                return;
            }
        }
        shards.add(new FollowedShard(split));
    }

    /** Does what there is to do for a shard; returns in how many nanoseconds to come again. */
    private long step(FollowedShard shard) throws IOException {
        long early = shard.dueNanos - System.nanoTime();
        if (early > 0) {
            return early;
        }
        shard.begin();
        try {
            Duration pause = work(shard);
            shard.succeed();
            shard.dueNanos = System.nanoTime() + pause.toNanos();
            return pause.toNanos();
        } catch (SteleException failed) {
            if (isClosing) {
                throw new Stopped();
            }
            boolean isRepeatable = drop(shard);
            Optional<Duration> pause = shard.fail(failed, isRepeatable, times.unavailableTimeout());
            if (pause.isEmpty()) {
                throw new IOException(
                        "Cannot read the changes of shard %d of table %s of Stele after LSN %s%s: %s"
                                .formatted(
                                        shard.split.shard(),
                                        tableName,
                                        shard.position().withTime(),
                                        isRepeatable
                                                ? ""
                                                : ", of which a large commit has been passed on in part",
                                        failed.getMessage()),
                        failed);
            }
            shard.dueNanos = System.nanoTime() + pause.get().toNanos();
            return pause.get().toNanos();
        }
    }

    /** Drops a commit that broke; those before it go on. False: a part of it did before. */
    private boolean drop(FollowedShard shard) {
        if (shard.feed == null || shard.collector == null) {
            return true;
        }
        boolean isRepeatable = shard.collector.dropCommit();
        if (isRepeatable) {
            shard.collector.flush();
            buffer.reach(shard.split.shard(), shard.feed.position());
        }
        return isRepeatable;
    }

    private Duration work(FollowedShard shard) {
        if (shard.feed != null) {
            return follow(shard, shard.feed);
        }
        if (!shard.split.readsSnapshot()) {
            ShardFeed feed = history.follow(shard.split);
            shard.feed = feed;
            shard.collector =
                    new CommitCollector(
                            shard.split.shard(), shard.split.position(), CHUNK_BYTES, this::pass);
            if (shard.snapshot == null) {
                buffer.hold(new ChangeBuffer.Held(shard.split.shard(), Optional.empty()));
            } else { // which the feed holds now
                shard.snapshot.close();
                shard.snapshot = null;
            }
            return Duration.ZERO;
        }
        if (shard.snapshot == null) {
            SnapshotLease lease = history.hold(shard.split);
            shard.snapshot = lease;
            buffer.hold(new ChangeBuffer.Held(shard.split.shard(), Optional.of(lease.snapshot())));
        } else {
            shard.snapshot.renewInTime();
        }
        return SnapshotLeases.renewalPeriod(times.leaseTime());
    }

    /** Hands over the commits that are there. */
    private Duration follow(FollowedShard shard, ShardFeed feed) {
        CommitCollector collector = requireNonNull(shard.collector, "there is a feed");
        if (buffer.isHalfFull()) { // a stream that nobody takes of would be cut off
            feed.renew();
            return RECHECK_INTERVAL;
        }
        if (isPaused(shard)) {
            feed.renew();
            return PAUSED_INTERVAL;
        }
        boolean isMore;
        do {
            isMore = feed.poll(collector);
            if (isMore) {
                collector.endCommit(feed.position());
            }
        } while (isMore && feed.isPending() && !collector.isFull() && !isPaused(shard));
        collector.flush();
        buffer.reach(shard.split.shard(), feed.position());
        if (isMore) {
            return Duration.ZERO;
        }
        return feed.isPending() ? RECHECK_INTERVAL : times.pollInterval();
    }

    private boolean isPaused(FollowedShard shard) {
        return paused.contains(shard.split.shard());
    }

    /** Waits for room, and keeps the history of all shards meanwhile. */
    private void pass(ChangeChunk chunk) {
        long last = chunk.lsns()[chunk.lsns().length - 1];
        lagMillis = System.currentTimeMillis() - new Lsn(last).millis();
        try {
            while (!buffer.offer(chunk, FULL_INTERVAL)) {
                if (isClosing) {
                    throw new Stopped();
                }
                shards.forEach(FollowedShard::renew);
            }
        } catch (InterruptedException e) {
            throw new Stopped();
        }
    }
}
