package io.stele.sidecar.metrics;

import io.airlift.stats.CounterStat;
import java.util.concurrent.atomic.AtomicLong;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * Metrics of the connections, logins and actions of all endpoints, and of refused callers.
 * Thread-safe.
 */
public final class AccessMetrics {
    private final CounterStat authenticationFailures = new CounterStat();
    private final CounterStat permissionDenials = new CounterStat();
    private final CounterStat busyRefusals = new CounterStat();
    private final CounterStat loginsGivenUp = new CounterStat();
    private final AtomicLong pendingLogins = new AtomicLong();
    private final CounterStat actions = new CounterStat();
    private final AtomicLong framedConnections = new AtomicLong();
    private final AtomicLong postgresConnections = new AtomicLong();
    private final AtomicLong flightStreams = new AtomicLong();

    /** Counts a request with neither the shared secret nor a user's password. */
    public void authenticationFailed() {
        authenticationFailures.update(1);
    }

    /** Counts a statement or call of a user without the privileges for it. */
    public void permissionDenied() {
        permissionDenials.update(1);
    }

    /** Counts a connection or call refused because a limit was reached. */
    public void refusedAsBusy() {
        busyRefusals.update(1);
    }

    /**
     * Counts a login that was not completed in time, or that was closed in favor of newer logins.
     */
    public void loginGivenUp() {
        loginsGivenUp.update(1);
    }

    public void loginBegan() {
        pendingLogins.incrementAndGet();
    }

    public void loginEnded() {
        pendingLogins.decrementAndGet();
    }

    /** Counts a Flight action. */
    public void actionCalled() {
        actions.update(1);
    }

    public void framedConnectionOpened() {
        framedConnections.incrementAndGet();
    }

    public void framedConnectionClosed() {
        framedConnections.decrementAndGet();
    }

    public void postgresConnectionOpened() {
        postgresConnections.incrementAndGet();
    }

    public void postgresConnectionClosed() {
        postgresConnections.decrementAndGet();
    }

    public void flightStreamOpened() {
        flightStreams.incrementAndGet();
    }

    public void flightStreamClosed() {
        flightStreams.decrementAndGet();
    }

    @Managed(
            description =
                    "Requests and connections with neither the shared secret nor a user's password")
    @Nested
    public CounterStat getAuthenticationFailures() {
        return authenticationFailures;
    }

    @Managed(description = "Statements and calls of users without the privileges for them")
    @Nested
    public CounterStat getPermissionDenials() {
        return permissionDenials;
    }

    @Managed(description = "Connections and calls refused because a limit was reached")
    @Nested
    public CounterStat getBusyRefusals() {
        return busyRefusals;
    }

    @Managed(description = "Logins not completed in time, or given up for newer ones")
    @Nested
    public CounterStat getLoginsGivenUp() {
        return loginsGivenUp;
    }

    @Managed(description = "Callers that have not logged in yet")
    public long getPendingLogins() {
        return pendingLogins.get();
    }

    @Managed(description = "Flight actions called")
    @Nested
    public CounterStat getActions() {
        return actions;
    }

    @Managed(description = "Open connections of the framed protocol")
    public long getFramedConnections() {
        return framedConnections.get();
    }

    @Managed(description = "Open connections of PostgreSQL's protocol")
    public long getPostgresConnections() {
        return postgresConnections.get();
    }

    @Managed(description = "Open Flight calls")
    public long getFlightStreams() {
        return flightStreams.get();
    }
}
