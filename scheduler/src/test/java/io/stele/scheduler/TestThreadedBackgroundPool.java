package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class TestThreadedBackgroundPool {
    @Test
    void refusesMoreThanItsLimitOfWaitingTasks() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        try (ThreadedBackgroundPool pool =
                new ThreadedBackgroundPool(1, 1, Thread.ofPlatform().factory(), failure -> {})) {
            pool.execute(
                    () -> {
                        running.countDown();
                        await(release);
                        done.countDown();
                    });
            running.await();
            pool.execute(done::countDown);
            assertThat(pool.load()).isEqualTo(new PoolLoad(1, 1, 0));
            assertThatThrownBy(() -> pool.execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("Background pool is full: 1 tasks wait");
            release.countDown();
            done.await();
        }
        assertThat(done.getCount()).isZero();
    }

    @Test
    void refusesTasksAfterClose() {
        ThreadedBackgroundPool pool =
                new ThreadedBackgroundPool(1, 1, Thread.ofPlatform().factory(), failure -> {});
        pool.close();
        assertThatThrownBy(() -> pool.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
