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
 * The access control of all ports, which decides what a caller may do with tables, views and
 * schemas. Callers with the shared secret may do everything. Users of the password file may do what
 * the rules of a file admit, or, without such a file, everything that concerns rows. Thread-safe.
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
     * Access control by the rules of a file, which is checked for changes periodically.
     *
     * @param catalog the name of the tables' catalog in Trino
     * @throws SteleException INVALID_ARGUMENT if the file is wrong; the message names the place
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

    /** A number that changes with the rules. */
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
     * @throws AccessDeniedException if it lacks one
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
     * @throws AccessDeniedException if it has none
     */
    public void checkSees(AuthenticatedUser user, String schema, String table) {
        if (!sees(user, schema, table)) {
            metrics.permissionDenied();
            throw AccessDeniedException.ofTable(
                    user.name(), schema, table, Set.of(Privilege.SELECT), Set.of());
        }
    }

    /** Whether lists of tables and views show one to a user, who needs any privilege on it. */
    public boolean sees(AuthenticatedUser user, String schema, String table) {
        return !privileges(user, schema, table).isEmpty();
    }

    /** Whether lists of schemas show one to a user. */
    public boolean seesSchema(AuthenticatedUser user, String schema) {
        return !isRestricted(user)
                || rules.orElseThrow().current().rules().maySeeSchema(user.name(), schema);
    }

    /**
     * Checks that a caller has the shared secret.
     *
     * @param what the request, for the message
     * @throws AccessDeniedException if it is a user of the password file
     */
    public void checkHasSecret(AuthenticatedUser user, String what) {
        if (!user.hasSecret()) {
            metrics.permissionDenied();
            throw AccessDeniedException.ofSecretOnly(user.name(), what);
        }
    }
}
