package io.stele.engine.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.transaction.ShardTurns.Turn;
import io.stele.protocol.ShardId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestShardTurns {
    private static final ShardId A = new ShardId(1, 0);
    private static final ShardId B = new ShardId(1, 1);
    private static final ShardId C = new ShardId(1, 2);

    private final ShardTurns turns = new ShardTurns();

    @Test
    void turnsOfOneShardFollowEachOther() {
        Turn first = turns.request(Set.of(A)).join();
        CompletableFuture<Turn> second = turns.request(Set.of(A, B));
        CompletableFuture<Turn> third = turns.request(Set.of(B));
        CompletableFuture<Turn> other = turns.request(Set.of(C));
        assertThat(second).isNotDone();
        assertThat(third).as("must not pass the second").isNotDone();
        assertThat(other).isDone();
        first.end();
        first.end();
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        second.join().end();
        assertThat(third).isDone();
    }

    @Test
    void atMostOneHasAShardAndNoneWaitsForEver() {
        SplittableRandom random = new SplittableRandom(1);
        List<ShardId> shards = List.of(A, B, C, new ShardId(2, 0), new ShardId(2, 1));
        Set<ShardId> taken = new HashSet<>();
        List<Runnable> ends = new ArrayList<>();
        int[] granted = new int[1];
        int requested = 0;
        for (int step = 0; step < 10_000; step++) {
            if (requested < 5_000 && random.nextBoolean()) {
                Set<ShardId> wanted = new HashSet<>();
                while (wanted.isEmpty()) {
                    shards.stream().filter(shard -> random.nextInt(3) == 0).forEach(wanted::add);
                }
                requested++;
                var unused =
                        turns.request(wanted)
                                .thenAccept(
                                        turn -> {
                                            wanted.forEach(
                                                    shard -> assertThat(taken.add(shard)).isTrue());
                                            granted[0]++;
                                            ends.add(
                                                    () -> {
                                                        taken.removeAll(wanted);
                                                        turn.end();
                                                    });
                                        });
            }
            if (!ends.isEmpty() && random.nextBoolean()) {
                ends.remove(random.nextInt(ends.size())).run();
            }
        }
        while (!ends.isEmpty()) {
            ends.removeFirst().run();
        }
        assertThat(granted[0]).isEqualTo(requested);
    }
}
