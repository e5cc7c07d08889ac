package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TestSchedule {
    @Test
    void aSeedIsASchedule() {
        assertThat(episodes("--seed", "7")).isEqualTo(episodes("--seed", "7"));
        assertThat(episodes("--seed", "7")).isNotEqualTo(episodes("--seed", "8"));
    }

    @Test
    void aShortRunMeetsEverything() {
        List<Episode> episodes = episodes("--seed", "7");
        assertThat(episodes)
                .extracting(episode -> episode.weather().kind())
                .containsExactlyInAnyOrder(Weather.Kind.values());
        assertThat(episodes)
                .extracting(Episode::incident)
                .contains(Stream.of(Incident.values()).map(Optional::of).toArray(Optional[]::new));
    }

    @Test
    void aMinuteIsEnoughForAllOfIt() {
        assertThat(Schedule.leastEpisodes(Duration.ofMinutes(1))).isEqualTo(6);
        assertThat(Schedule.leastEpisodes(Duration.ofMinutes(90))).isEqualTo(6);
        assertThat(Schedule.leastEpisodes(Duration.ofSeconds(6))).isEqualTo(1);
    }

    @Test
    void whatIsLeftOutDoesNotCome() {
        assertThat(episodes("--seed", "7", "--without", "outage,kill,disk,sql"))
                .noneMatch(episode -> episode.weather().kind() == Weather.Kind.OUTAGE)
                .noneMatch(episode -> episode.incident().equals(Optional.of(Incident.KILL)))
                .noneMatch(episode -> episode.incident().equals(Optional.of(Incident.DISK)));
        assertThat(episodes("--without", "calm,errors,latency,cuts,late,outage"))
                .allMatch(episode -> episode.weather().equals(Weather.CALM));
        assertThat(episodes("--without", "kill,stop,pause,disk,clock"))
                .allMatch(episode -> episode.incident().isEmpty());
    }

    @Test
    void wordsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> parse("--minutes"))
                .hasMessage("Expected a value after --minutes, found none");
        assertThatThrownBy(() -> parse("--minutes", "0")).hasMessageContaining("found 0");
        assertThatThrownBy(() -> parse("--seed", "x")).hasMessageContaining("found x");
        assertThatThrownBy(() -> parse("--without", "kill,rain"))
                .hasMessageContaining("disk")
                .hasMessageContaining("large-rows")
                .hasMessageContaining("found rain");
        assertThatThrownBy(() -> parse("--speed", "9"))
                .hasMessage("Expected --minutes, --seed, --without or --json, found --speed");
        assertThat(parse("--json", "a.json").json()).hasValue(Path.of("a.json"));
    }

    @Test
    void clocksAreWrongByAMinuteAtLeast() {
        assertThat(ClockSteps.offset(0)).isEqualTo(Duration.ofMinutes(-10));
        assertThat(ClockSteps.offset(0.49)).isLessThan(Duration.ofMinutes(-1));
        assertThat(ClockSteps.offset(0.5)).isEqualTo(Duration.ofMinutes(1));
        assertThat(ClockSteps.offset(1)).isEqualTo(Duration.ofMinutes(10));
    }

    private static ChaosOptions parse(String... words) {
        return ChaosOptions.parse(List.of(words), 1);
    }

    private static List<Episode> episodes(String... words) {
        Schedule schedule = new Schedule(parse(words));
        return Stream.generate(schedule::next).limit(6).toList();
    }
}
