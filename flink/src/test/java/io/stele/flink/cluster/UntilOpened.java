package io.stele.flink.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.GuavaRateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;

/**
 * A limit of a source's rate that ends when a file exists. So a bounded job does not end before a
 * test has done to it what it wants, unless all its rows come at the slow rate before that.
 *
 * @param perSecond rows of all subtasks together, until then
 * @param file its path
 */
public record UntilOpened(double perSecond, String file)
        implements RateLimiterStrategy<SourceSplit> {
    @Override
    public RateLimiter<SourceSplit> createRateLimiter(int parallelism) {
        Path opened = Path.of(file);
        RateLimiter<SourceSplit> slow = new GuavaRateLimiter<>(perSecond / parallelism);
        return new RateLimiter<>() {
            private boolean open;

            @Override
            public CompletionStage<Void> acquire(int count) {
                open = open || Files.exists(opened);
                return open ? CompletableFuture.completedFuture(null) : slow.acquire(count);
            }
        };
    }
}
