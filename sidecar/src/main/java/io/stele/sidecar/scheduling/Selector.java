package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A configured rule that assigns reads to a scheduling group, by patterns of user, source and
 * resource group. It applies if every given pattern matches the read's whole value. Immutable.
 *
 * @param group the name of the group
 */
record Selector(
        Optional<Pattern> user,
        Optional<Pattern> source,
        Optional<Pattern> resourceGroup,
        String group) {
    Selector {
        requireNonNull(user, "user is null");
        requireNonNull(source, "source is null");
        requireNonNull(resourceGroup, "resourceGroup is null");
        requireNonNull(group, "group is null");
    }

    boolean matches(QueryIdentity identity) {
        return matches(user, identity.user())
                && matches(source, identity.source())
                && matches(resourceGroup, identity.resourceGroup());
    }

    private static boolean matches(Optional<Pattern> pattern, String text) {
        return pattern.isEmpty() || pattern.get().matcher(text).matches();
    }
}
