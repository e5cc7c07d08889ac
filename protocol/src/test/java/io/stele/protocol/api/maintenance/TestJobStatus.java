package io.stele.protocol.api.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableName;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestJobStatus {
    private static final JobStatus STATUS =
            new JobStatus(
                    "1-2",
                    JobKind.COMPACT,
                    new TableName("s", "t"),
                    Optional.empty(),
                    Optional.of("ann"),
                    3,
                    JobState.RUNNING,
                    4,
                    Optional.of(5L),
                    Optional.empty(),
                    6,
                    7,
                    0,
                    Optional.empty(),
                    Optional.empty());

    @Test
    void theNameOfEarlierBuildsIsRead() {
        String json = new String(ApiJson.write(STATUS), UTF_8);
        assertThat(json).contains("\"requestCount\":3").doesNotContain("asked");
        assertThat(ApiJson.read(json.getBytes(UTF_8), JobStatus.class)).isEqualTo(STATUS);
        String earlier = json.replace("requestCount", "asked");
        assertThat(ApiJson.read(earlier.getBytes(UTF_8), JobStatus.class)).isEqualTo(STATUS);
    }
}
