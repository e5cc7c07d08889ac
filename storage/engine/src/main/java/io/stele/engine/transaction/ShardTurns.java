package io.stele.engine.transaction;

import io.stele.protocol.ShardId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A queue of the transactions that commit in the same shards, each of which gets an exclusive turn.
 * A turn has all its shards at once, and no other turn has one of them. Turns are given in the
 * order of requests; a request passes requests that wait for other shards. So no request waits for
 * ever, and turns cannot wait for each other in a circle.
 *
 * <p>Thread-safe: guarded by its own lock. Futures complete outside of the lock, on the thread that
 * requests or ends a turn.
 */
final class ShardTurns {
    private final Set<ShardId> taken = new HashSet<>();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final Map<ShardId, Integer> wanted = new HashMap<>(); // by how many requests

    private record Request(Set<ShardId> shards, CompletableFuture<Turn> granted) {}

    /**
     * The right to commit in some shards, until it ends. Further calls of {@link #end} do nothing.
     */
    final class Turn {
        private final Set<ShardId> shards;
        private boolean ended; // guarded by ShardTurns.this

        private Turn(Set<ShardId> shards) {
            this.shards = shards;
        }

        void end() {
            List<Runnable> grants;
            synchronized (ShardTurns.this) {
                if (ended) {
                    return;
                }
                ended = true;
                taken.removeAll(shards);
                grants = grant(shards);
            }
            grants.forEach(Runnable::run);
        }
    }

    /** Completes with the turn, which must end. */
    CompletableFuture<Turn> request(Collection<ShardId> shards) {
        Set<ShardId> all = Set.copyOf(shards);
        CompletableFuture<Turn> granted = new CompletableFuture<>();
        synchronized (this) {
            if (all.stream()
                    .anyMatch(shard -> taken.contains(shard) || wanted.containsKey(shard))) {
                waiting.add(new Request(all, granted));
                all.forEach(shard -> wanted.merge(shard, 1, Integer::sum));
                return granted;
            }
            taken.addAll(all);
        }
        granted.complete(new Turn(all));
        return granted;
    }

    /**
     * @param free shards whose turn has ended: only requests for one of them may be granted
     */
    private List<Runnable> grant(Set<ShardId> free) {
        List<Runnable> grants = new ArrayList<>();
        Set<ShardId> claimed = new HashSet<>(taken); // or wanted by an earlier request
        for (Iterator<Request> requests = waiting.iterator();
                requests.hasNext() && !claimed.containsAll(free); ) {
            Request request = requests.next();
            if (request.shards().stream().noneMatch(claimed::contains)) {
                requests.remove();
                taken.addAll(request.shards());
                request.shards().forEach(this::noLongerWanted);
                grants.add(() -> request.granted().complete(new Turn(request.shards())));
            }
            claimed.addAll(request.shards());
        }
        return grants;
    }

    private void noLongerWanted(ShardId shard) {
        wanted.computeIfPresent(shard, (one, count) -> count == 1 ? null : count - 1);
    }
}
