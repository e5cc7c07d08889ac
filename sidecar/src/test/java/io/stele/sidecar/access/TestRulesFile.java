package io.stele.sidecar.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestRulesFile {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final String SELECT = "{\"tables\": [{\"privileges\": [\"SELECT\"]}]}";
    private static final String DELETE = "{\"tables\": [{\"privileges\": [\"DELETE\"]}]}";

    @TempDir private Path directory;
    private final AtomicLong nanoTime = new AtomicLong(7);

    private static Set<Privilege> privileges(RulesFile rules) {
        return rules.current().rules().privileges("ann", "shop", "orders");
    }

    private RulesFile open(Path file) {
        return new RulesFile(file, "stele", PERIOD, nanoTime::get);
    }

    @Test
    void aChangeCountsAfterThePeriod() throws IOException {
        Path file = Files.writeString(directory.resolve("rules.json"), SELECT);
        RulesFile rules = open(file);
        long first = rules.current().number();
        Files.writeString(file, DELETE);
        nanoTime.addAndGet(PERIOD.toNanos() - 1);
        assertThat(privileges(rules)).containsExactly(Privilege.SELECT);
        assertThat(rules.current().number()).isEqualTo(first);
        nanoTime.addAndGet(1);
        assertThat(privileges(rules)).containsExactly(Privilege.DELETE);
        assertThat(rules.current().number()).isGreaterThan(first);
    }

    @Test
    void theLastGoodRulesStay() throws IOException {
        Path file = Files.writeString(directory.resolve("rules.json"), SELECT);
        RulesFile rules = open(file);
        Files.writeString(file, "{\"tables\": [{\"privileges\": [\"DELETE\"]}");
        nanoTime.addAndGet(PERIOD.toNanos());
        assertThat(privileges(rules)).containsExactly(Privilege.SELECT);
        Files.delete(file);
        nanoTime.addAndGet(PERIOD.toNanos());
        assertThat(privileges(rules)).containsExactly(Privilege.SELECT);
        Files.writeString(file, DELETE);
        nanoTime.addAndGet(PERIOD.toNanos());
        assertThat(privileges(rules)).containsExactly(Privilege.DELETE);
    }

    @Test
    void aFileThatIsNotThereOrIsLargeIsRefused() throws IOException {
        Path missing = directory.resolve("missing.json");
        assertThatThrownBy(() -> open(missing))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected a readable file of access control rules")
                .hasMessageContaining("missing.json");
        Path large = Files.writeString(directory.resolve("large.json"), " ".repeat(1 << 21));
        assertThatThrownBy(() -> open(large))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("at most 1048576 bytes")
                .hasMessageContaining("large.json");
    }
}
