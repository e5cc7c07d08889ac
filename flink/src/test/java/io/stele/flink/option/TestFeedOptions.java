package io.stele.flink.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.Lsn;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options of sources of changes, as docs/streaming.md has them. */
final class TestFeedOptions {
    private static FeedOptions options(Map<String, String> given) {
        return FeedOptions.of(Configuration.fromMap(given)).orElseThrow();
    }

    @Test
    void withoutAModeThereAreNone() {
        assertThat(FeedOptions.of(new Configuration())).isEmpty();
        assertThat(FeedOptions.of(Configuration.fromMap(Map.of("scan.snapshot-ttl", "1 min"))))
                .isEmpty();
    }

    @Test
    void theDefaults() {
        assertThat(options(Map.of("scan.startup.mode", "initial")))
                .isEqualTo(
                        new FeedOptions(
                                StartupMode.INITIAL,
                                -1,
                                true,
                                false,
                                Duration.ofMillis(100),
                                Duration.ofMinutes(10)));
    }

    @Test
    void eachModeBeginsElsewhere() {
        FeedOptions initial = options(Map.of("scan.startup.mode", "initial"));
        assertThat(initial.start()).isEmpty();
        assertThat(initial.readsSnapshot()).isTrue();
        FeedOptions latest = options(Map.of("scan.startup.mode", "latest"));
        assertThat(latest.start()).isEmpty();
        assertThat(latest.readsSnapshot()).isFalse();
        FeedOptions lsn = options(Map.of("scan.startup.mode", "lsn", "scan.startup.lsn", "4711"));
        assertThat(lsn.start()).contains(new Lsn(4711));
        assertThat(lsn.readsSnapshot()).isFalse();
    }

    /** Changes of the millisecond itself are among those that come. */
    @Test
    void aMomentIsTheLastLsnBeforeIt() {
        Lsn start =
                options(
                                Map.of(
                                        "scan.startup.mode",
                                        "timestamp",
                                        "scan.startup.timestamp-millis",
                                        "1767322445123"))
                        .start()
                        .orElseThrow();
        assertThat(start).isLessThan(Lsn.of(1_767_322_445_123L, 0));
        assertThat(start.value() + 1).isEqualTo(Lsn.of(1_767_322_445_123L, 0).value());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scan.startup.mode=lsn | Expected 'scan.startup.lsn' with 'scan.startup.mode' = 'lsn', and only there, found it missing with 'lsn'",
                "scan.startup.mode=timestamp | Expected 'scan.startup.timestamp-millis' with 'scan.startup.mode' = 'timestamp', and only there, found it missing with 'timestamp'",
                "scan.startup.mode=initial,scan.startup.lsn=1 | Expected 'scan.startup.lsn' with 'scan.startup.mode' = 'lsn', and only there, found it set with 'initial'",
                "scan.startup.mode=lsn,scan.startup.lsn=-1 | Expected 'scan.startup.lsn' >= 0, found -1",
                "scan.startup.mode=timestamp,scan.startup.timestamp-millis=9223372036854775807 | Expected 'scan.startup.timestamp-millis' before the year 6429, found 9223372036854775807",
                "scan.startup.mode=latest,scan.poll-interval=0 ms | Expected 'scan.poll-interval' of PT0.001S to PT1M, found PT0S",
                "scan.startup.mode=latest,scan.poll-interval=21 s,scan.snapshot-ttl=1 min | Expected 'scan.poll-interval' of at most a third of 'scan.snapshot-ttl', which is PT1M, found PT21S",
                "scan.startup.mode=latest,scan.poll-interval=2 min | Expected 'scan.poll-interval' of PT0.001S to PT1M, found PT2M",
                "scan.startup.mode=latest,scan.snapshot-ttl=1 s | Expected 'scan.snapshot-ttl' of PT5S to PT1H, found PT1S",
                "scan.startup.lsn=1 | Expected 'scan.startup.lsn' with 'scan.startup.mode' only, found it in a bounded scan",
                "scan.insert-only=true | Expected 'scan.insert-only' with 'scan.startup.mode' only, found it in a bounded scan",
                "scan.before-images=false | Expected 'scan.before-images' with 'scan.startup.mode' only, found it in a bounded scan"
            })
    void wrongOptionsAreRefused(String given, String message) {
        Configuration config = new Configuration();
        for (String option : given.split(",")) {
            config.setString(option.split("=")[0], option.split("=")[1]);
        }
        assertThatThrownBy(() -> FeedOptions.of(config))
                .isInstanceOf(ValidationException.class)
                .hasMessage(message);
    }
}
