package io.stele.sidecar.access;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Sets;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.metrics.AccessMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The decisions who may do what, which every port asks for. Callers with the shared secret may do
 * everything; users of the password file what the rules of a file admit, or without such a file
 * everything that concerns rows. Thread-safe.
 */
public final class AccessControl {
    private static final Set<Privilege> ALL = Sets.immutableEnumSet(EnumSet.allOf(Privilege.class));

    private final Optional<RulesFile> rules;
    private final AccessMetrics metrics;

    private AccessControl(Optional<RulesFile> rules, AccessMetrics metrics) {
        this.rules = requireNonNull(rules, "rules is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    public static AccessControl withoutRules(AccessMetrics metrics) {
        return new AccessControl(Optional.empty(), metrics);
    }

    /**
     * Access control by the rules of a file, which is looked at for changes again and again.
     *
     * @param catalog the name that Trino has for the tables
     * @throws SteleException INVALID_ARGUMENT: what is wrong where in the file
     */
    public static AccessControl ofRules(
            Path file, Duration refreshPeriod, String catalog, AccessMetrics metrics) {
        return new AccessControl(
                Optional.of(new RulesFile(file, catalog, refreshPeriod, System::nanoTime)),
                metrics);
    }

    /** Whether there are rules for a user. */
    public boolean isRestricted(AuthenticatedUser user) {
        return rules.isPresent() && !user.hasSecret();
    }

    /** A number that is another one once the rules have changed. */
    public long version() {
        return rules.map(file -> file.current().number()).orElse(0L);
    }

    /** The privileges of a user on a table or view. */
    public Set<Privilege> privileges(AuthenticatedUser user, String schema, String table) {
        return isRestricted(user)
                ? rules.orElseThrow().current().rules().privileges(user.name(), schema, table)
                : ALL;
    }

    /**
     * Checks that a user has all of some privileges on a table.
     *
     * @throws AccessDeniedException it has not
     */
    public void check(
            AuthenticatedUser user, String schema, String table, Set<Privilege> required) {
        if (!isRestricted(user)) {
            return;
        }
        Set<Privilege> held = privileges(user, schema, table);
        if (!held.containsAll(required)) {
            metrics.permissionDenied();
            throw AccessDeniedException.ofTable(user.name(), schema, table, required, held);
        }
    }

    /**
     * Checks that a user has some privilege on a table.
     *
     * @throws AccessDeniedException it has none
     */
    public void checkSees(AuthenticatedUser user, String schema, String table) {
        if (!sees(user, schema, table)) {
            metrics.permissionDenied();
            throw AccessDeniedException.ofTable(
                    user.name(), schema, table, Set.of(Privilege.SELECT), Set.of());
        }
    }

    /** Whether lists of tables and views have one for a user: if it has any privilege on it. */
    public boolean sees(AuthenticatedUser user, String schema, String table) {
        return !privileges(user, schema, table).isEmpty();
    }

    /** Whether lists of schemas have one for a user. */
    public boolean seesSchema(AuthenticatedUser user, String schema) {
        return !isRestricted(user)
                || rules.orElseThrow().current().rules().maySeeSchema(user.name(), schema);
    }

    /**
     * Checks that a caller has the shared secret.
     *
     * @param what it wants
     * @throws AccessDeniedException it is a user of the password file
     */
    public void checkHasSecret(AuthenticatedUser user, String what) {
        if (!user.hasSecret()) {
            metrics.permissionDenied();
            throw AccessDeniedException.ofSecretOnly(user.name(), what);
        }
    }
}
