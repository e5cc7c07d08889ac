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
 * The background thread of a reader, which fetches the changes of its shards in turn and adds them
 * to the {@link ChangeBuffer}. It fetches only as far ahead as the buffer has room, and renews the
 * leases of all shards meanwhile. It owns the feeds and leases of its shards until {@link #close}.
 *
 * <p>The non-private methods are for the task's thread and do not wait, except {@link #close}. All
 * other state is confined to the background thread.
 */
final class ChangeFetcher implements AutoCloseable {
    /**
     * The size of a chunk, and of the largest commit that is requested again if its stream breaks.
     */
    static final long CHUNK_BYTES = 4 << 20;

    /** The size of all queued chunks: the task has work while the next ones are fetched. */
    static final long BUFFER_BYTES = 16 << 20;

    /** The interval of checks while an answer is on its way or the task is busy. */
    private static final Duration RECHECK_INTERVAL = Duration.ofMillis(2);

    /** The interval of lease renewals while the task takes nothing. */
    private static final Duration FULL_INTERVAL = Duration.ofSeconds(1);

    /** The interval of checks of a paused shard. */
    private static final Duration PAUSED_INTERVAL = Duration.ofMillis(20);

    /** The time for the thread to close its leases before it is interrupted. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private static final long JOIN_MILLIS = 100;

    /** The signal that ends the thread. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    /**
     * The intervals and timeouts of a fetcher.
     *
     * @param pollInterval time between two requests for changes of a shard while there are none
     * @param unavailableTimeout time for which a sidecar may be unreachable
     * @param leaseTime lifetime of a lease without renewal
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
    private volatile long lagMillis = -1; // Flink's value for "none"

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
     * Starts to follow a shard, also before {@link #start}. If the split has a snapshot, it only
     * leases that; the reader reads its rows and then adds the split again.
     */
    void add(ChangeSplit split) {
        added.add(split);
        LockSupport.unpark(thread);
    }

    /**
     * Stops fetching changes of a shard, and renews its lease. Changes already fetched are still
     * passed on, including the rest of a commit of which a part was.
     */
    void pause(int shard) {
        paused.add(shard);
    }

    /** Continues with a paused shard. */
    void resume(int shard) {
        paused.remove(shard);
    }

    /** The age of the last fetched commit when it was fetched; negative: there was none. */
    long lagMillis() {
        return lagMillis;
    }

    /** Ends the thread and its leases; waits for a few seconds at most. */
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

    // ---- The background thread

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
                // A wait for the sidecar may have consumed the permit of an unpark
                if (next > 0 && added.isEmpty() && !isClosing) {
                    LockSupport.parkNanos(this, next);
                }
            }
        } catch (Stopped stopped) {
            // thrown because of close
        } catch (IOException failed) {
            buffer.fail(failed);
        } catch (RuntimeException | Error failed) {
            buffer.fail(
                    new IOException(
                            "Cannot read the changes of table %s of Stele: %s"
                                    .formatted(tableName, failed),
                            failed));
        } finally {
            Thread.interrupted(); // closing the shards waits, too
            shards.forEach(FollowedShard::close);
        }
    }

    /** Adds a split. A split of a known shard is one whose snapshot has been read. */
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

    /**
     * Does the next step of a shard.
     *
     * @return nanoseconds until its next step
     */
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

    /**
     * Drops an incomplete commit, and passes on the commits before it.
     *
     * @return false: a part of the commit has been passed on
     */
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
            } else { // the feed has a lease of its own now
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

    /**
     * Passes on the commits that have arrived.
     *
     * @return time until the next step
     */
    private Duration follow(FollowedShard shard, ShardFeed feed) {
        CommitCollector collector = requireNonNull(shard.collector, "there is a feed");
        if (buffer.isHalfFull()) { // an unread stream would be cut off
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

    /** Passes on a chunk: waits for room, and renews the leases of all shards meanwhile. */
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
