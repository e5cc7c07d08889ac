package io.stele.benchmarks.chaos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The episodes of a run, without end, from a seed. Each kind of weather and each incident comes
 * once before any comes again, so that a short run meets all of them, each time in other company.
 *
 * <p>Confined to one thread.
 */
final class Schedule {
    private final Random random;
    private final List<Weather.Kind> weathers;
    private final List<Optional<Incident>> incidents;
    private final ArrayDeque<Weather.Kind> nextWeathers = new ArrayDeque<>();
    private final ArrayDeque<Optional<Incident>> nextIncidents = new ArrayDeque<>();

    Schedule(ChaosOptions options) {
        this.random = new Random(options.seed());
        this.weathers =
                Arrays.stream(Weather.Kind.values())
                        .filter(kind -> options.has(kind.key()))
                        .toList();
        // Twice: a crash in each weather is what most of this is for
        this.incidents =
                Stream.concat(Stream.of(Incident.KILL), Arrays.stream(Incident.values()))
                        .filter(incident -> options.has(incident.key()))
                        .map(Optional::of)
                        .toList();
    }

    /** In a minute all weathers and incidents come, and in less a share of them. */
    static int leastEpisodes(Duration duration) {
        double minutes = Math.min(1, duration.toMillis() / 60_000.0);
        return (int) Math.ceil(minutes * Weather.Kind.values().length);
    }

    Episode next() {
        Weather.Kind kind = draw(nextWeathers, weathers, Weather.Kind.CALM);
        double share = kind == Weather.Kind.OUTAGE ? 1 : 0.02 + 0.3 * random.nextDouble();
        return new Episode(
                random.nextInt(500, 1_500),
                kind == Weather.Kind.CALM ? Weather.CALM : new Weather(kind, share),
                draw(nextIncidents, incidents, Optional.empty()),
                random.nextInt(500, 3_000),
                random.nextInt(200, 2_000),
                random.nextDouble());
    }

    private <T> T draw(ArrayDeque<T> left, List<T> all, T none) {
        if (left.isEmpty()) {
            List<T> shuffled = new ArrayList<>(all);
            Collections.shuffle(shuffled, random);
            left.addAll(shuffled);
        }
        return left.isEmpty() ? none : left.remove();
    }
}
