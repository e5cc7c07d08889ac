package io.stele.cache.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks run when a test says so, in its own thread. */
class TestWaitingFills {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> laterTasks = new ArrayDeque<>();
    private final List<String> ended = new ArrayList<>();
    private boolean rejects;

    /** Half of 100 bytes may wait. */
    private final WaitingFills fills = new WaitingFills(100, this::execute, this::execute);

    private void execute(Runnable task) {
        if (rejects) {
            throw new RejectedExecutionException();
        }
        tasks.add(task);
    }

    private void add(String name, int bytes) {
        add(name, bytes, () -> ended.add(name));
    }

    private void add(String name, int bytes, Runnable write) {
        assertThat(fills.tryReserve(bytes)).isTrue();
        CachedFile file = new CachedFile("t", name, 1000);
        fills.add(new WaitingFills.Fill(file, bytes, write, () -> ended.add("no " + name)));
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void assertNothingIsReserved() {
        assertThat(fills.tryReserve(100)).isTrue();
        fills.release(100);
        assertThat(fills.tryReserve(101)).isFalse();
    }

    @Test
    void isWrittenWhenNobodyFetches() {
        add("a", 60);
        add("b", 40);
        runTasks();
        assertThat(ended).containsExactly("a", "b");
        assertNothingIsReserved();
    }

    @Test
    @Timeout(300)
    void closingWaitsForWritesThatHaveBegunAndWritesWhatIsDue() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> go = new CompletableFuture<>();
        add(
                "a",
                10,
                () -> {
                    begun.countDown();
                    go.join();
                    ended.add("a");
                });
        Thread writer = Thread.startVirtualThread(tasks.remove());
        begun.await();
        fills.fetchBegan();
        add("b", 30);
        add("c", 30); // more than half: b is due, and its task does not run
        assertThat(tasks).hasSize(1);
        Thread closer = Thread.ofPlatform().start(fills::close);
        while (closer.getState() != Thread.State.WAITING) {
            assertThat(closer.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        go.complete(true);
        closer.join();
        writer.join();
        runTasks();
        assertThat(ended).containsExactly("b", "c", "a");
        assertNothingIsReserved();
    }

    @Test
    void waitsForTheLastFetch() {
        fills.fetchBegan();
        add("a", 20);
        fills.fetchBegan();
        add("b", 20);
        fills.fetchEnded();
        assertThat(tasks).isEmpty();
        fills.fetchEnded();
        assertThat(tasks).hasSize(1);
        add("c", 10);
        // One task for all, so that those who compute keep the other processors
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(ended).containsExactly("a", "b", "c");
        assertNothingIsReserved();
    }

    @Test
    void aFetchWithinThePauseKeepsItWaiting() {
        WaitingFills paused = new WaitingFills(100, this::execute, laterTasks::add);
        CachedFile file = new CachedFile("t", "a", 1000);
        paused.fetchBegan();
        assertThat(paused.tryReserve(20)).isTrue();
        paused.add(new WaitingFills.Fill(file, 20, () -> ended.add("a"), () -> {}));
        assertThat(laterTasks).isEmpty();
        paused.fetchEnded();
        assertThat(tasks).isEmpty();
        assertThat(laterTasks).hasSize(1);
        paused.fetchBegan();
        laterTasks.remove().run();
        assertThat(ended).isEmpty();
        paused.fetchEnded();
        assertThat(laterTasks).hasSize(1); // the pause begins anew
        laterTasks.remove().run();
        assertThat(ended).containsExactly("a");
    }

    @Test
    void whatNobodyFetchedIsWrittenWithoutAPause() {
        WaitingFills paused = new WaitingFills(100, this::execute, laterTasks::add);
        CachedFile file = new CachedFile("t", "a", 1000);
        assertThat(paused.tryReserve(20)).isTrue();
        paused.add(new WaitingFills.Fill(file, 20, () -> ended.add("a"), () -> {}));
        assertThat(laterTasks).isEmpty();
        runTasks();
        assertThat(ended).containsExactly("a");
    }

    @Test
    void whatWaitsHoldsItsRoom() {
        fills.fetchBegan();
        add("a", 50);
        assertThat(fills.tryReserve(51)).isFalse();
        assertThat(fills.tryReserve(51)).isFalse(); // it is going to be written
        runTasks();
        assertThat(ended).containsExactly("a");
        assertThat(fills.tryReserve(51)).isTrue();
        assertThat(fills.tryReserve(50)).isFalse();
    }

    @Test
    void theOldestAreWrittenWhenMoreThanHalfWaits() {
        fills.fetchBegan();
        add("a", 10);
        add("b", 20);
        add("c", 20);
        assertThat(tasks).isEmpty();
        add("d", 15);
        assertThat(tasks).hasSize(2);
        runTasks();
        assertThat(ended).containsExactly("a", "b");
        add("e", 15);
        assertThat(tasks).isEmpty();
        add("f", 1);
        runTasks();
        assertThat(ended).containsExactly("a", "b", "c");
    }

    @Test
    void asMuchIsWrittenAsFoundNoRoom() {
        fills.fetchBegan();
        add("a", 10);
        add("b", 10);
        add("c", 10);
        assertThat(fills.tryReserve(60)).isTrue(); // somebody fetches ahead
        assertThat(fills.tryReserve(15)).isFalse();
        runTasks();
        assertThat(ended).containsExactly("a", "b");
        assertThat(fills.tryReserve(15)).isTrue();
    }

    @Test
    void aFetchThatBeginsIsWaitedFor() {
        fills.fetchBegan();
        add(
                "a",
                10,
                () -> {
                    ended.add("a");
                    fills.fetchBegan();
                });
        add("b", 10);
        fills.fetchEnded();
        runTasks();
        assertThat(ended).containsExactly("a");
        fills.fetchEnded();
        runTasks();
        assertThat(ended).containsExactly("a", "b");
        assertNothingIsReserved();
    }

    @Test
    void whatIsRejectedIsDropped() {
        fills.fetchBegan();
        add("a", 40);
        rejects = true;
        add("b", 40);
        assertThat(ended).containsExactly("no a");
        fills.fetchEnded();
        assertThat(ended).containsExactly("no a", "no b");
        assertNothingIsReserved();
        rejects = false;
        add("c", 40);
        runTasks();
        assertThat(ended).containsExactly("no a", "no b", "c");
    }

    @Test
    void aRemovedFileIsNotWritten() {
        fills.fetchBegan();
        add("a", 10);
        add("b", 10);
        add("a", 10);
        fills.drop(new CachedFile("t", "a", 1000).admittedOnSecondAccess());
        assertThat(ended).containsExactly("no a", "no a");
        // Nor does it count any more
        add("c", 40);
        assertThat(tasks).isEmpty();
        fills.fetchEnded();
        runTasks();
        assertThat(ended).containsExactly("no a", "no a", "b", "c");
        assertNothingIsReserved();
    }

    @Test
    void whatWaitsIsWrittenAtTheEnd() {
        fills.fetchBegan();
        add("a", 10);
        add("b", 10);
        rejects = true;
        fills.close();
        assertThat(ended).containsExactly("a", "b");
        assertNothingIsReserved();
        // By now the store refuses what comes; it must not wait for the fetch
        rejects = false;
        add("c", 10);
        runTasks();
        assertThat(ended).containsExactly("a", "b", "c");
        assertNothingIsReserved();
    }

    @Test
    void aFailedWriteKeepsNobodyFromBeingWritten() {
        fills.fetchBegan();
        add(
                "a",
                10,
                () -> {
                    throw new IllegalStateException("broken");
                });
        add("b", 10);
        fills.fetchEnded();
        assertThatThrownBy(() -> tasks.remove().run()).hasMessage("broken");
        runTasks();
        assertThat(ended).containsExactly("b");
        assertNothingIsReserved();
    }
}
