package io.stele.scheduler.fragment;

import static java.util.Objects.requireNonNull;

import io.stele.scheduler.YieldSignal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A batch source that finds its parts at run time and reads several in parallel, each by a child
 * fragment on its own context. These are the read-sync and read-apply units of Hologres, section
 * 4.1. Batches of different parts have no order.
 *
 * <p>One pull waits at each child. If a child fails, this source fails, and the other children are
 * cancelled.
 *
 * <p>Confined to the context of its edge, except for the wake-ups by the children's replies.
 *
 * @param <P> the type of a part, for example a file
 * @param <B> the type of a batch
 */
public final class SpawningSource<P, B> implements BatchSource<B> {
    /** Finds the parts; called once, on the context. */
    @FunctionalInterface
    public interface Parts<P> {
        List<P> find() throws Exception;
    }

    /** Creates the producer of a part, with its own context. */
    @FunctionalInterface
    public interface Spawner<P, B> {
        Edge<B> spawn(P part) throws Exception;
    }

    private final Parts<P> parts;
    private final Spawner<P, B> spawner;
    private final int parallelism;
    private final Runnable resume;
    private final List<Child<B>> children = new ArrayList<>();
    private @Nullable ArrayDeque<P> remaining; // null: parts are not found yet

    private record Child<B>(Edge<B> edge, CompletableFuture<Pulled<B>> answer) {}

    /**
     * @param parallelism number of parts that are read at once
     * @param resume calls {@link Edge#resume} of this source's edge
     */
    public SpawningSource(Parts<P> parts, Spawner<P, B> spawner, int parallelism, Runnable resume) {
        this.parts = requireNonNull(parts, "parts is null");
        this.spawner = requireNonNull(spawner, "spawner is null");
        this.resume = requireNonNull(resume, "resume is null");
        if (parallelism < 1) {
            throw new IllegalArgumentException(
                    "parallelism must be at least 1, found " + parallelism);
        }
        this.parallelism = parallelism;
    }

    @Override
    public Produced<B> next(YieldSignal signal) throws Exception {
        ArrayDeque<P> left = remaining;
        if (left == null) {
            left = new ArrayDeque<>(parts.find());
            remaining = left;
            return new Produced.Working<>();
        }
        while (children.size() < parallelism && !left.isEmpty()) {
            ask(spawner.spawn(left.remove()));
        }
        Iterator<Child<B>> candidates = children.iterator();
        while (candidates.hasNext()) {
            Child<B> child = candidates.next();
            if (child.answer().isDone()) {
                candidates.remove();
                return take(child);
            }
        }
        return children.isEmpty() ? new Produced.End<>() : new Produced.Waiting<>();
    }

    private Produced<B> take(Child<B> child) {
        Pulled<B> pulled = child.answer().join();
        if (!pulled.end()) {
            ask(child.edge()); // at the end, so that each child gets its turn
        }
        return pulled.batch()
                .<Produced<B>>map(Produced.Batch::new)
                .orElse(new Produced.Working<>());
    }

    private void ask(Edge<B> edge) {
        CompletableFuture<Pulled<B>> answer = edge.pull();
        children.add(new Child<>(edge, answer));
        answer.whenComplete((pulled, failure) -> resume.run());
    }

    @Override
    public void close() {
        children.forEach(child -> child.edge().cancel());
        children.clear();
    }
}
