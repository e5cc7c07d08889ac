package io.stele.scheduler.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.SimulatedPool;
import io.stele.scheduler.Urgency;
import io.stele.scheduler.YieldSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestEdge {
    private final List<Throwable> uncaught = new ArrayList<>();
    private final SimulatedPool pool = new SimulatedPool(new SplittableRandom(1), uncaught::add);
    private final ExecutionContext context =
            pool.createContext("producer", pool.createGroup("query", 1000, Urgency.NORMAL));
    private final Numbers numbers = new Numbers();

    private static final class Numbers implements BatchSource<Integer> {
        int made;
        int closed;

        @Override
        public Produced<Integer> next(YieldSignal signal) {
            return made == 10 ? new Produced.End<>() : new Produced.Batch<>(made++);
        }

        @Override
        public void close() {
            closed++;
        }
    }

    @Test
    void makesNothingUnasked() {
        edge(new EdgeOptions(1, 1, 100));
        pool.runUntilIdle(100);
        assertThat(numbers.made).isZero();
    }

    @Test
    void makesOneBatchAheadAndNoMore() {
        Edge<Integer> edge = edge(new EdgeOptions(1, 1, 100));
        CompletableFuture<Pulled<Integer>> first = edge.pull();
        pool.runUntilIdle(100);
        assertThat(first.join().batch()).hasValue(0);
        assertThat(numbers.made).isEqualTo(2);
        edge.pull();
        pool.runUntilIdle(100);
        assertThat(numbers.made).isEqualTo(3);
    }

    @Test
    void largeBatchesAreNotMadeAhead() {
        Edge<Integer> edge = edge(new EdgeOptions(1, 5, 20));
        edge.pull();
        pool.runUntilIdle(100);
        // of 10 bytes each: after two of them the limit of 20 bytes is reached
        assertThat(numbers.made).isEqualTo(3);
    }

    @Test
    void refusesMorePullsThanCredits() {
        Edge<Integer> edge = edge(new EdgeOptions(2, 0, 100));
        edge.pull();
        edge.pull();
        assertThatThrownBy(edge::pull)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("at most 2 pulls from fragment numbers");
        pool.runUntilIdle(100);
        assertThat(edge.pull()).isNotNull();
    }

    @Test
    void aConsumerThatPullsAheadUsesAllCredits() {
        PullAhead<Integer> consumer = new PullAhead<>(edge(new EdgeOptions(3, 1, 100)));
        CompletableFuture<Pulled<Integer>> first = consumer.next();
        pool.runUntilIdle(100);
        assertThat(first.join().batch()).hasValue(0);
        // Three that were pulled, and one ahead of them.
        assertThat(numbers.made).isEqualTo(4);
        CompletableFuture<Pulled<Integer>> second = consumer.next();
        assertThat(second).as("a batch that needs no turn of the producer").isCompleted();
        assertThat(second.join().batch()).hasValue(1);
        pool.runUntilIdle(100);
        assertThat(numbers.made).isEqualTo(5);
        for (int number = 2; number < 10; number++) {
            CompletableFuture<Pulled<Integer>> next = consumer.next();
            pool.runUntilIdle(100);
            assertThat(next.join().batch()).hasValue(number);
        }
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Pulled<Integer>> end = consumer.next();
            pool.runUntilIdle(100);
            assertThat(end.join().end()).isTrue();
        }
        assertThat(numbers.closed).isEqualTo(1);
    }

    @Test
    void theEndComesAgainAndClosesOnce() {
        Edge<Integer> edge = edge(EdgeOptions.DEFAULT);
        int batches = 0;
        for (int i = 0; i < 15; i++) {
            CompletableFuture<Pulled<Integer>> pull = edge.pull();
            pool.runUntilIdle(100);
            batches += pull.join().batch().isPresent() ? 1 : 0;
            assertThat(pull.join().end()).isEqualTo(i >= 10);
        }
        edge.cancel();
        pool.runUntilIdle(100);
        assertThat(batches).isEqualTo(10);
        assertThat(numbers.closed).isEqualTo(1);
    }

    @Test
    void cancellationEndsPullsBeforeAndAfter() {
        Edge<Integer> edge = edge(EdgeOptions.DEFAULT);
        CompletableFuture<Pulled<Integer>> before = edge.pull();
        edge.cancel();
        edge.cancel();
        CompletableFuture<Pulled<Integer>> after = edge.pull();
        pool.runUntilIdle(100);
        assertThatThrownBy(before::join).isInstanceOf(CancellationException.class);
        assertThatThrownBy(after::join)
                .isInstanceOf(CancellationException.class)
                .hasRootCauseMessage("Fragment numbers is cancelled");
        assertThat(numbers.closed).isEqualTo(1);
    }

    @Test
    void aCancelledContextCancelsThePulls() {
        Edge<Integer> edge = edge(EdgeOptions.DEFAULT);
        CompletableFuture<Pulled<Integer>> pull = edge.pull();
        context.cancel();
        pool.runUntilIdle(100);
        assertThatThrownBy(pull::join).isInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> edge.pull().join()).isInstanceOf(CancellationException.class);
    }

    private Edge<Integer> edge(EdgeOptions options) {
        return new Edge<>("numbers", context, numbers, options, batch -> 10);
    }
}
