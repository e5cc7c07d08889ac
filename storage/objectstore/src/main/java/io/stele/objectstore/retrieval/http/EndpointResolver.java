package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the IP addresses of store hosts, from which it chooses the address of each new
 * connection. A store has many addresses, and each lookup returns only a few. New connections go to
 * the address that has the fewest of ours, and avoid one that failed recently while there are
 * others. Thread-safe, guarded by itself; lookups are made without the lock.
 */
public final class EndpointResolver {
    /** More than any host has at a time. */
    private static final int MAX_ADDRESSES = 64;

    private final Lookup lookup;
    private final LongSupplier nanoTime;
    private final long refreshNanos;
    private final long keepNanos;
    private final Map<String, Host> hosts = new HashMap<>();

    /** A name service lookup of the addresses of a host; may block. */
    @FunctionalInterface
    public interface Lookup {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private static final class Host {
        private final Map<InetAddress, Address> addresses = new LinkedHashMap<>();
        private long refreshedNanos;
    }

    private static final class Address {
        private int connections;
        private long seenNanos;
        private long failedUntilNanos;

        private boolean hasFailed(long now) {
            return failedUntilNanos != 0 && failedUntilNanos - now > 0;
        }
    }

    /**
     * @param refreshNanos how often a host is looked up
     * @param keepNanos how long an address is used after the last lookup that returned it, and how
     *     long a failed one is avoided
     */
    public EndpointResolver(
            Lookup lookup, LongSupplier nanoTime, long refreshNanos, long keepNanos) {
        this.lookup = requireNonNull(lookup, "lookup is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.refreshNanos = refreshNanos;
        this.keepNanos = keepNanos;
    }

    /**
     * Chooses an address for a new connection, which counts until it is {@link #closed}. May block
     * for a lookup.
     *
     * @throws UnknownHostException if no address of the host was found
     */
    public InetSocketAddress connect(Endpoint endpoint) throws UnknownHostException {
        refresh(endpoint.host());
        synchronized (this) {
            Host host = requireNonNull(hosts.get(endpoint.host()));
            long now = nanoTime.getAsLong();
            Map.Entry<InetAddress, Address> best = null;
            for (Map.Entry<InetAddress, Address> next : host.addresses.entrySet()) {
                if (best == null || isBetter(next.getValue(), best.getValue(), now)) {
                    best = next;
                }
            }
            Map.Entry<InetAddress, Address> chosen = requireNonNull(best);
            chosen.getValue().connections++;
            return new InetSocketAddress(chosen.getKey(), endpoint.port());
        }
    }

    private static boolean isBetter(Address one, Address other, long now) {
        if (one.hasFailed(now) != other.hasFailed(now)) {
            return other.hasFailed(now);
        }
        return one.connections < other.connections;
    }

    private void refresh(String name) throws UnknownHostException {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            Host host = hosts.get(name);
            if (host != null && now - host.refreshedNanos < refreshNanos) {
                return;
            }
        }
        InetAddress[] found;
        try {
            found = lookup.addresses(name);
        } catch (UnknownHostException e) {
            synchronized (this) {
                if (hosts.containsKey(name)) {
                    return; // earlier addresses stay valid while lookups fail
                }
            }
            throw e;
        }
        if (found.length == 0) {
            throw new UnknownHostException(name);
        }
        synchronized (this) {
            Host host = hosts.computeIfAbsent(name, _ -> new Host());
            host.refreshedNanos = now;
            for (InetAddress address : found) {
                if (host.addresses.size() < MAX_ADDRESSES || host.addresses.containsKey(address)) {
                    host.addresses.computeIfAbsent(address, _ -> new Address()).seenNanos = now;
                }
            }
            host.addresses
                    .values()
                    .removeIf(
                            address ->
                                    address.connections == 0
                                            && now - address.seenNanos > keepNanos);
        }
    }

    /** Counts another connection to an address that was used before. */
    synchronized void reopened(Endpoint endpoint, InetSocketAddress to) {
        Address address = find(endpoint, to);
        if (address != null) {
            address.connections++;
        }
    }

    /** Called when a connection has ended. */
    public synchronized void closed(Endpoint endpoint, InetSocketAddress to) {
        Address address = find(endpoint, to);
        if (address != null) {
            address.connections--;
        }
    }

    /**
     * Called when a connection could not be made, or ended within a response: the address is
     * avoided for a while.
     */
    public synchronized void failed(Endpoint endpoint, InetSocketAddress to) {
        Address address = find(endpoint, to);
        if (address != null) {
            long until = nanoTime.getAsLong() + keepNanos;
            address.failedUntilNanos = until == 0 ? 1 : until;
        }
    }

    private @Nullable Address find(Endpoint endpoint, InetSocketAddress to) {
        Host host = hosts.get(endpoint.host());
        return host == null ? null : host.addresses.get(to.getAddress());
    }
}
