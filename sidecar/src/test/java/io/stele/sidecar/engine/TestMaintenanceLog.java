package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TestMaintenanceLog {
    private final List<String> lines = new ArrayList<>();
    private long nowNanos = 7;
    private final MaintenanceLog log = new MaintenanceLog(lines::add, () -> nowNanos);

    @Test
    void saysWhatFailsLessAndLessOften() {
        for (int attempts = 1; attempts <= 20; attempts++) {
            log.failed(failure(0, attempts));
        }
        assertThat(lines)
                .as("the 1st, 2nd, 4th, 8th and 16th")
                .hasSize(5)
                .allMatch(line -> line.contains("merge of s.t") && line.contains("put data/x"));
        log.recovered(failure(0, 20));
        assertThat(lines.getLast()).contains("goes well again after 20 failures");
    }

    @Test
    void saysHowManyLinesWereLeftOut() {
        for (int shard = 0; shard < 64; shard++) {
            log.failed(failure(shard, 1));
        }
        assertThat(lines).hasSize(MaintenanceLog.LINES);
        nowNanos += TimeUnit.SECONDS.toNanos(10) - 1;
        log.failed(failure(0, 2));
        assertThat(lines).hasSize(MaintenanceLog.LINES);
        nowNanos++;
        log.failed(failure(0, 4));
        assertThat(lines.subList(MaintenanceLog.LINES, lines.size()))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("55 lines "),
                        line -> assertThat(line).contains("failed 4 times"));
    }

    private static MaintenanceFailure failure(int shard, int attempts) {
        return new MaintenanceFailure(
                new ShardId(3, shard),
                "merge of s.t",
                1_000,
                attempts,
                2_000,
                "java.io.IOException: put data/x");
    }
}
