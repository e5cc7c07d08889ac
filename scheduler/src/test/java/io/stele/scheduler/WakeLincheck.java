package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * The wake-up of execution contexts and their way to a worker, in the interleavings that Lincheck
 * tries: no task is left behind and none runs twice. So is the count of runnable shares in nested
 * groups.
 *
 * <p>Beside each structure there is a copy with the one mistake it is written to avoid. If that is
 * not found, Lincheck does not look (versions before 3.7 do not on this JDK).
 */
class WakeLincheck {
    private static final int SHARES = 1_000;

    @Test
    void noWakeUpIsLost() {
        options().check(Wakes.class);
    }

    @Test
    void aLostWakeUpWouldBeFound() {
        assertThatThrownBy(() -> options().check(LosingWakes.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("tasks to run");
    }

    @Test
    void anInboxIsAStackThatIsTakenAsAQueue() {
        options().check(Inbox.class);
    }

    @Test
    void aLosingInboxWouldBeFound() {
        assertThatThrownBy(() -> options().check(LosingInbox.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    @Test
    void aClassCountsTheSharesOfItsRunnableQueries() {
        options().check(NestedGroups.class);
    }

    @Test
    void aMiscountWouldBeFound() {
        assertThatThrownBy(() -> options().check(MiscountingGroups.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("shares in the class");
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsBefore(1)
                .actorsPerThread(2)
                .actorsAfter(0)
                .iterations(6)
                .invocationsPerIteration(500)
                .minimizeFailedScenario(false);
    }

    /** Submitters of one context, and its worker. */
    public static class Wakes {
        private final ContextInbox inbox = new ContextInbox();
        private final Deque<ExecutionContext> queue = new ArrayDeque<>(); // the worker's
        private final AtomicInteger submitted = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();
        private final ExecutionContext context = newContext("context", inbox);

        @Operation
        public void submit() {
            submitted.incrementAndGet();
            context.execute(ran::incrementAndGet);
        }

        @Operation(nonParallelGroup = "worker")
        public void turn() {
            inbox.drain(queue::add);
            ExecutionContext next = queue.poll();
            if (next == null) {
                return;
            }
            next.begin();
            while (next.runNext(YieldSignal.NEVER) == ExecutionContext.Outcome.RAN) {
                // until it has no more
            }
            if (next.endTurn()) {
                queue.add(next);
            }
        }

        @Validate
        public void everythingRan() {
            for (int i = 0; i < 10; i++) {
                turn();
            }
            checkAll(submitted.get(), ran.get());
        }
    }

    /** The same with a context that goes to sleep without looking once more. */
    public static class LosingWakes {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicReference<String> state = new AtomicReference<>("idle");
        private final AtomicInteger scheduled = new AtomicInteger();
        private final AtomicInteger submitted = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();

        @Operation
        public void submit() {
            submitted.incrementAndGet();
            tasks.add(ran::incrementAndGet);
            if (state.compareAndSet("idle", "scheduled")) {
                scheduled.incrementAndGet();
            }
        }

        @Operation(nonParallelGroup = "worker")
        public void turn() {
            if (scheduled.get() == 0) {
                return;
            }
            scheduled.decrementAndGet();
            state.set("running");
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            state.set("idle");
        }

        @Validate
        public void everythingRan() {
            for (int i = 0; i < 10; i++) {
                turn();
            }
            checkAll(submitted.get(), ran.get());
        }
    }

    /** Linearizable to itself, used by one thread after the other. */
    public static class Inbox {
        private final ContextInbox inbox = new ContextInbox();

        @Operation
        public void put(@Param(gen = IntGen.class, conf = "1:3") int number) {
            inbox.put(newContext(Integer.toString(number), inbox));
        }

        @Operation(nonParallelGroup = "worker")
        public List<String> drain() {
            List<String> names = new ArrayList<>();
            inbox.drain(context -> names.add(context.name()));
            return names;
        }
    }

    /** Takes what is there in two steps, between which something may come. */
    public static class LosingInbox {
        private final AtomicReference<List<String>> inbox = new AtomicReference<>(List.of());

        @Operation
        public void put(@Param(gen = IntGen.class, conf = "1:3") int number) {
            while (true) {
                List<String> before = inbox.get();
                List<String> after = new ArrayList<>(before);
                after.add(Integer.toString(number));
                if (inbox.compareAndSet(before, after)) {
                    return;
                }
            }
        }

        @Operation(nonParallelGroup = "worker")
        public List<String> drain() {
            List<String> taken = inbox.get();
            inbox.set(List.of());
            return taken;
        }
    }

    /** Contexts of two queries that get and lose work while shares move between the queries. */
    public static class NestedGroups {
        private final SchedulingGroup parent =
                new SchedulingGroup("class", SHARES, Urgency.NORMAL, 20_000_000);
        private final SchedulingGroup one = parent.nest("one", 1_000, 20_000_000);
        private final SchedulingGroup other = parent.nest("other", 1_000, 20_000_000);
        private final AtomicInteger left = new AtomicInteger();

        @Operation
        public void enter() {
            one.enter(1);
            left.incrementAndGet();
        }

        @Operation
        public void enterAndLeave() {
            one.enter(2);
            one.leave(2);
        }

        @Operation
        public void moveThere() {
            one.transfer(3, other);
        }

        @Operation
        public void moveBack() {
            other.transfer(2, one);
        }

        @Validate
        public void theClassHasWhatItsQueriesHave() {
            checkShares(left.get() > 0 ? one.shares() : 0, parent.runnableShares());
            checkShares(left.get(), one.runnableShares());
        }
    }

    /** The same with a query that leaves with the shares that it has then. */
    public static class MiscountingGroups {
        private final AtomicInteger parent = new AtomicInteger();
        private final AtomicInteger shares = new AtomicInteger(10);
        private final AtomicInteger runnable = new AtomicInteger();

        @Operation
        public void enterAndLeave() {
            if (runnable.getAndIncrement() == 0) {
                parent.addAndGet(shares.get());
            }
            if (runnable.decrementAndGet() == 0) {
                parent.addAndGet(-shares.get());
            }
        }

        @Operation
        public void moveThere() {
            shares.addAndGet(-3);
        }

        @Validate
        public void theClassHasWhatItsQueriesHave() {
            checkShares(0, parent.get());
        }
    }

    private static void checkShares(long expected, long found) {
        if (expected != found) {
            throw new IllegalStateException(
                    "Expected " + expected + " shares in the class, found " + found);
        }
    }

    private static ExecutionContext newContext(String name, ContextInbox inbox) {
        SchedulingGroup group = new SchedulingGroup("group", SHARES, Urgency.NORMAL, 20_000_000);
        return new ExecutionContext(
                name,
                group,
                SHARES,
                new ContextDispatcher() {
                    @Override
                    public void runnable(ExecutionContext context) {
                        inbox.put(context);
                    }

                    @Override
                    public void failed(Throwable failure) {
                        throw new IllegalStateException(failure);
                    }
                });
    }

    private static void checkAll(int submitted, int ran) {
        if (submitted != ran) {
            throw new IllegalStateException(
                    "Expected " + submitted + " tasks to run, found " + ran);
        }
    }
}
