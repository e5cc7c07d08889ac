package io.stele.sidecar.scheduling;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.Duration;
import io.stele.sidecar.scheduling.SchedulerConfig.Policy;
import java.io.File;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestSchedulerConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(SchedulerConfig.class)
                        .setGroupsFile(null)
                        .setQuantum(new Duration(200, TimeUnit.MICROSECONDS))
                        .setReadThreads(32)
                        .setPolicy(Policy.FAIR));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.of(
                        "stele.scheduler.groups-file", "/etc/groups.json",
                        "stele.scheduler.quantum", "1ms",
                        "stele.scheduler.read-threads", "4",
                        "stele.scheduler.policy", "FIFO"),
                new SchedulerConfig()
                        .setGroupsFile(new File("/etc/groups.json"))
                        .setQuantum(new Duration(1, TimeUnit.MILLISECONDS))
                        .setReadThreads(4)
                        .setPolicy(Policy.FIFO));
    }
}
