package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TestBlockingPool {
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    @Test
    void makesAllCallsButFewAtOnce() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        try (BlockingPool pool =
                new BlockingPool(3, 10_000, Thread.ofVirtual().factory(), failures::add)) {
            for (int i = 0; i < 5_000; i++) {
                pool.execute(
                        () -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            Thread.yield();
                            inside.decrementAndGet();
                            made.incrementAndGet();
                        });
            }
        }
        assertThat(made).hasValue(5_000);
        assertThat(most.get()).isBetween(1, 3);
        assertThat(failures).isEmpty();
    }

    @Test
    void refusesWhatDoesNotFit() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(2);
        try (BlockingPool pool =
                new BlockingPool(2, 1, Thread.ofVirtual().factory(), failures::add)) {
            for (int i = 0; i < 2; i++) {
                pool.execute(
                        () -> {
                            running.countDown();
                            await(release);
                        });
                // a call waits until a thread has taken it
                while (pool.load().waiting() > 0) {
                    Thread.yield();
                }
            }
            running.await();
            pool.execute(() -> {});
            assertThat(pool.load()).isEqualTo(new PoolLoad(2, 1, 0));
            assertThatThrownBy(() -> pool.execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("1 calls wait");
            release.countDown();
        }
    }

    @Test
    void aFailingCallIsReportedAndTheNextIsMade() {
        AtomicInteger made = new AtomicInteger();
        BlockingPool pool = new BlockingPool(1, 10, Thread.ofVirtual().factory(), failures::add);
        pool.execute(
                () -> {
                    throw new IllegalStateException("broken");
                });
        pool.execute(made::incrementAndGet);
        pool.close();
        assertThat(made).hasValue(1);
        assertThat(pool.load()).isEqualTo(new PoolLoad(0, 0, 2));
        assertThat(failures).singleElement().satisfies(one -> assertThat(one).hasMessage("broken"));
        assertThatThrownBy(() -> pool.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("closed");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
