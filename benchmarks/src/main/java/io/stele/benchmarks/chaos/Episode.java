package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A piece of a {@link Schedule}: the weather turns, something happens in the middle of it, and it
 * is calm again.
 *
 * @param calmMillis before
 * @param weather of the network
 * @param incident in the middle
 * @param beforeMillis of the weather before the incident
 * @param afterMillis of the weather behind the incident
 * @param strength of the incident, from 0 to 1: how long or how far
 */
record Episode(
        int calmMillis,
        Weather weather,
        Optional<Incident> incident,
        int beforeMillis,
        int afterMillis,
        double strength) {
    Episode {
        requireNonNull(weather, "weather is null");
        requireNonNull(incident, "incident is null");
    }
}
