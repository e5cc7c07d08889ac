package io.stele.scheduler.fragment;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * The consumer's end of an {@link Edge} that uses all credits of the edge: while the consumer
 * handles one batch, its next pulls wait at the producer already. So a batch that is ready needs no
 * further turn of the producer's context to reach the consumer.
 *
 * <p>At most as many batches as the edge has credits are here, beyond those that the producer has
 * made ahead. Confined to one thread.
 */
public final class PullAhead<B> {
    private final Edge<B> edge;
    private final ArrayDeque<CompletableFuture<Pulled<B>>> pulls = new ArrayDeque<>();

    public PullAhead(Edge<B> edge) {
        this.edge = requireNonNull(edge, "edge is null");
    }

    /**
     * The next batch, or the end. Before the next call the caller waits for it. After the end every
     * call returns the end again.
     */
    public CompletableFuture<Pulled<B>> next() {
        while (pulls.size() < edge.credits()) {
            pulls.add(edge.pull());
        }
        return pulls.remove();
    }
}
