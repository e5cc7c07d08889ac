package io.stele.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * One random history of a simulated pool, checked as it goes: no context is on two workers, no
 * context runs two tasks at once, tasks of a context run in the order of submission, none runs
 * twice or both runs and is cancelled, nothing runnable waits longer than everybody's turn, a class
 * of queries counts the shares of those that have work; and at the end that every task ran or was
 * cancelled, every join returned after the last task, and no group is left with runnable contexts.
 */
final class RandomSchedule {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long STEP_NANOS = 50 * MICROSECOND;

    private final long seed;
    private final SplittableRandom random;
    private final FairPoolOptions options;
    private final SimulatedWorkers workers;
    private final List<SchedulingGroup> groups = new ArrayList<>(); // also removed ones
    private final List<SchedulingGroup> leaves = new ArrayList<>(); // have contexts
    private final List<SchedulingGroup> parents = new ArrayList<>();
    private final List<Subject> subjects = new ArrayList<>();
    private final List<Throwable> uncaught = new ArrayList<>();
    private int thrown;
    private int submitted;

    /** A context under test and what is known of it. */
    private static final class Subject {
        final ExecutionContext context;
        final List<Submitted> tasks = new ArrayList<>();
        final List<CompletableFuture<?>> ends = new ArrayList<>();
        boolean closed;
        boolean cancelled;
        int lastStarted = -1;
        boolean inside;

        Subject(ExecutionContext context) {
            this.context = context;
        }
    }

    private static final class Submitted {
        final long at;
        int ran;
        int cancelled;

        Submitted(long at) {
            this.at = at;
        }
    }

    RandomSchedule(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.options =
                new FairPoolOptions(
                        1 + random.nextInt(4),
                        (50 + random.nextInt(1000)) * MICROSECOND,
                        (1 + random.nextInt(10)) * MILLISECOND);
        this.workers = new SimulatedWorkers(options, uncaught::add);
    }

    int tasksSubmitted() {
        return submitted;
    }

    void run() {
        int groupCount = 1 + random.nextInt(8);
        for (int i = 0; i < groupCount; i++) {
            Urgency urgency = random.nextInt(4) == 0 ? Urgency.LATENCY : Urgency.NORMAL;
            SchedulingGroup group =
                    workers.pool().createGroup("group " + i, 1 + random.nextInt(10_000), urgency);
            groups.add(group);
            if (urgency == Urgency.NORMAL && random.nextBoolean()) {
                parents.add(group);
                newNested(group);
            } else {
                leaves.add(group);
            }
        }
        int events = 200 + random.nextInt(400);
        long time = 0;
        for (int i = 0; i < events; i++) {
            time += random.nextLong(2 * MILLISECOND / options.workers());
            workers.at(time, this::something);
        }
        for (long until = 0; until < time; until += MILLISECOND) {
            workers.runUntil(until);
            workers.verifyInvariants();
            parents.forEach(this::checkParent);
        }
        // Steps of work units may be long, but all is finite: at the end nothing may be left.
        workers.runUntil(time + 1_000_000 * MILLISECOND);
        checkEnd();
    }

    private void something() {
        int dice = random.nextInt(100);
        if (subjects.isEmpty() || dice < 10) {
            subjects.add(newSubject());
            return;
        }
        Subject subject = subjects.get(random.nextInt(subjects.size()));
        if (dice < 90) {
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 100 : 4);
            for (int i = 0; i < count; i++) {
                submit(subject, 2);
            }
        } else if (dice < 93) {
            subject.closed = true;
            subject.cancelled = true;
            watchEnd(subject, subject.context.cancel());
        } else if (dice < 97) {
            subject.closed = true;
            watchEnd(subject, subject.context.join());
        } else if (dice < 98 && !parents.isEmpty()) {
            changeNested();
        } else {
            transfer();
        }
    }

    /** A query begins or ends; contexts of one that ended may still have work. */
    private void changeNested() {
        SchedulingGroup parent = parents.get(random.nextInt(parents.size()));
        List<SchedulingGroup> queries =
                leaves.stream()
                        .filter(group -> group.parent().equals(Optional.of(parent)))
                        .toList();
        if (queries.size() < 2 || random.nextBoolean()) {
            newNested(parent);
        } else {
            SchedulingGroup ended = queries.get(random.nextInt(queries.size()));
            leaves.remove(ended);
            workers.pool().removeGroup(ended);
        }
    }

    private void newNested(SchedulingGroup parent) {
        SchedulingGroup query =
                workers.pool()
                        .createGroup("query " + groups.size(), 1 + random.nextInt(10_000), parent);
        groups.add(query);
        leaves.add(query);
    }

    private void checkParent(SchedulingGroup parent) {
        long shares = 0;
        for (SchedulingGroup group : groups) {
            if (group.parent().equals(Optional.of(parent)) && group.runnableContexts() > 0) {
                shares += group.shares();
            }
        }
        check(
                parent.runnableShares() == shares,
                "Expected %d shares of runnable groups in %s, found %d"
                        .formatted(shares, parent, parent.runnableShares()));
    }

    private Subject newSubject() {
        SchedulingGroup group = leaves.get(random.nextInt(leaves.size()));
        return new Subject(
                workers.pool()
                        .createContext(
                                "context " + subjects.size(), group, 1 + random.nextInt(20)));
    }

    private void transfer() {
        SchedulingGroup from = groups.get(random.nextInt(groups.size()));
        List<SchedulingGroup> siblings =
                groups.stream().filter(group -> group.parent().equals(from.parent())).toList();
        SchedulingGroup to =
                random.nextInt(10) == 0
                        ? groups.get(random.nextInt(groups.size()))
                        : siblings.get(random.nextInt(siblings.size()));
        int count = 1 + random.nextInt(10_000);
        int sum = from.shares() + to.shares();
        try {
            from.transfer(count, to);
        } catch (IllegalArgumentException refused) {
            // as the limits want it
        }
        if (from != to) {
            check(from.shares() + to.shares() == sum, "Shares were made or lost");
        }
    }

    private void submit(Subject subject, int depth) {
        Submitted task = new Submitted(workers.nowNanos());
        subject.tasks.add(task);
        int number = subject.tasks.size() - 1;
        submitted++;
        switch (random.nextInt(3)) {
            case 0 -> {
                // A plain task is told of nothing when it is dropped.
                if (subject.closed) {
                    task.cancelled++;
                }
                subject.context.execute(() -> runWhole(subject, task, number, depth));
            }
            case 1 ->
                    subject.context
                            .submit(() -> runWhole(subject, task, number, depth))
                            .whenComplete(
                                    (done, failure) -> {
                                        if (failure instanceof Exception
                                                && !(failure instanceof IllegalStateException
                                                        && task.ran > 0)) {
                                            task.cancelled++;
                                        }
                                    });
            default -> subject.context.start(new Steps(subject, task, number, depth));
        }
    }

    private final class Steps implements WorkUnit {
        private final Subject subject;
        private final Submitted task;
        private final int number;
        private final int depth;
        private int left = 1 + random.nextInt(40);
        private boolean begun;

        Steps(Subject subject, Submitted task, int number, int depth) {
            this.subject = subject;
            this.task = task;
            this.number = number;
            this.depth = depth;
        }

        @Override
        public boolean step(YieldSignal signal) {
            if (!begun) {
                begun = true;
                began(subject, task, number);
            }
            do {
                spend(subject);
                left--;
            } while (left > 0 && random.nextBoolean() && !signal.shouldYield());
            if (left <= 0) {
                ended(subject, task, depth);
            }
            return left <= 0;
        }

        @Override
        public void cancelled() {
            check(subject.closed, "A task of an open context was cancelled");
            task.cancelled++;
        }
    }

    private boolean runWhole(Subject subject, Submitted task, int number, int depth) {
        began(subject, task, number);
        spend(subject);
        ended(subject, task, depth);
        if (random.nextInt(20) == 0) {
            thrown++;
            throw new IllegalStateException("thrown on purpose");
        }
        return true;
    }

    private void began(Subject subject, Submitted task, int number) {
        check(number > subject.lastStarted, "Tasks ran out of order");
        subject.lastStarted = number;
        check(task.ran == 0, "A task ran twice");
        check(task.cancelled == 0, "A cancelled task ran");
    }

    private void spend(Subject subject) {
        check(!subject.inside, "Two tasks of a context at once");
        check(subject.context.isCurrent(), "A task outside of its context");
        subject.inside = true;
        workers.spend(random.nextLong(STEP_NANOS));
        subject.inside = false;
    }

    /** Work makes work: for its own context and for others, as joins and reads do. */
    private void ended(Subject subject, Submitted task, int depth) {
        task.ran++;
        if (depth > 0 && random.nextInt(4) == 0) {
            Subject to =
                    random.nextBoolean() ? subject : subjects.get(random.nextInt(subjects.size()));
            submit(to, depth - 1);
        }
    }

    private void watchEnd(Subject subject, CompletableFuture<?> end) {
        subject.ends.add(end);
        end.thenRun(
                () -> {
                    for (Submitted task : subject.tasks) {
                        boolean dropped = subject.cancelled || task.cancelled > 0;
                        check(task.ran == 1 || dropped, "A join returned before the last task");
                    }
                });
    }

    private void checkEnd() {
        for (Subject subject : subjects) {
            for (CompletableFuture<?> end : subject.ends) {
                check(end.isDone(), "A join never returned");
                check(!end.isCompletedExceptionally(), "A check failed at a join: " + end);
            }
            for (Submitted task : subject.tasks) {
                check(task.ran + task.cancelled <= 1, "A task ran and was cancelled");
                check(
                        subject.cancelled || task.ran + task.cancelled == 1,
                        "A task was lost that was submitted at " + task.at);
            }
        }
        for (SchedulingGroup group : groups) {
            check(group.runnableContexts() == 0, "A group is left with runnable contexts");
            check(group.runnableShares() == 0, "A group is left with runnable shares");
        }
        PoolStatus status = workers.pool().status();
        check(status.idleWorkers() == options.workers(), "A worker is busy with nothing");
        uncaught.stream()
                .filter(failure -> !"thrown on purpose".equals(failure.getMessage()))
                .findFirst()
                .ifPresent(
                        failure -> {
                            throw new AssertionError("seed " + seed, failure);
                        });
        check(uncaught.size() <= thrown, "More failures than tasks that threw");
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise + "; to see it again: -Dsimulation.seed=" + seed);
        }
    }
}
