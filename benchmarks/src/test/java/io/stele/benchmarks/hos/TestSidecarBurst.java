package io.stele.benchmarks.hos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.benchmarks.hos.SidecarBurst.Query;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestSidecarBurst {
    @Test
    void eachQueryHasAGroupThatItsUserSelects() throws IOException {
        JsonNode groups = new ObjectMapper().readTree(SidecarBurst.groups());
        assertThat(groups.get("groups")).hasSize(10);
        assertThat(groups.get("selectors")).hasSize(10);
        for (int query = 0; query < 10; query++) {
            JsonNode selector = groups.get("selectors").get(query);
            assertThat(selector.get("group"))
                    .isEqualTo(groups.get("groups").get(query).get("name"));
            assertThat(selector.get("user")).isEqualTo(selector.get("group"));
        }
    }

    @Test
    void deviationsAreRelativeToEqualShares() {
        Map<Query, long[]> scans = new LinkedHashMap<>();
        long[] first = new long[70];
        long[] second = new long[70];
        // Alone, then both the same, then one three times as fast as the other, then nobody
        first[0] = 10;
        first[1] = 20;
        second[1] = 20;
        first[2] = 30;
        second[2] = 10;
        scans.put(new Query("one", 0, 3, 1), first);
        scans.put(new Query("other", 1, 3, 2), second);
        SidecarBurst.Result result = SidecarBurst.Result.of(scans, 1_000);
        assertThat(result.deviations().subList(0, 3))
                .satisfiesExactly(
                        alone -> assertThat(alone).isZero(),
                        equal -> assertThat(equal).isZero(),
                        unequal -> assertThat(unequal).isCloseTo(0.5, within(1e-12)));
        assertThat(Collections.max(result.deviations().subList(3, 70))).isZero();
    }
}
