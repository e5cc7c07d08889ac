package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the IP addresses of store hosts, from which it chooses the address of each new
 * connection. A store has many addresses, and each lookup returns only a few. New connections go to
 * the address that has the fewest of ours in proportion to its speed, and avoid one that failed
 * recently while there are others. Thread-safe, guarded by itself; lookups are made without the
 * lock.
 *
 * <p>The speed of an address is the recent rate of its response bodies, relative to the median of
 * all addresses of the host, between {@value #MIN_WEIGHT} and 1. An address without recent
 * measurements counts as one of the median speed. So a new address is tried at once, and a slow one
 * again when its measurements are forgotten.
 */
public final class EndpointResolver {
    /** More than any host has at a time. */
    private static final int MAX_ADDRESSES = 64;

    /** The least speed of an address, so that its recovery is noticed. */
    private static final double MIN_WEIGHT = 0.125;

    /** Below this speed, connections are not reused. */
    private static final double SLOW_WEIGHT = 0.5;

    /** 64 KiB: the rate of less shows when the socket was read, not how fast the bytes came. */
    private static final long MIN_BODY_BYTES = 64 << 10;

    /** 512 KiB: fewer bytes, after decay, do not show the rate of an address. */
    private static final double MIN_MEASURED_BYTES = 512 << 10;

    /** The time in which a measurement loses half of its weight. */
    static final long HALF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(10);

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

        /** The median of the known rates, of two in the middle the higher; 0: none is known. */
        private double usualRate(long now) {
            double[] rates =
                    addresses.values().stream()
                            .mapToDouble(address -> address.rate(now))
                            .filter(rate -> rate > 0)
                            .sorted()
                            .toArray();
            return rates.length == 0 ? 0 : rates[rates.length / 2];
        }
    }

    private static final class Address {
        private int connections;
        private long seenNanos;
        private long failedUntilNanos;
        private double bytes; // of bodies, decayed
        private double nanos; // of the same bodies, decayed
        private long measuredNanos;

        private void measured(long moreBytes, long moreNanos, long now) {
            double left = left(now);
            bytes = bytes * left + moreBytes;
            nanos = nanos * left + moreNanos;
            measuredNanos = now;
        }

        private double left(long now) {
            return Math.pow(0.5, (double) (now - measuredNanos) / HALF_LIFE_NANOS);
        }

        /** Bytes a nanosecond; 0: not known. */
        private double rate(long now) {
            return bytes * left(now) < MIN_MEASURED_BYTES ? 0 : bytes / nanos;
        }

        private double weight(double usualRate, long now) {
            double rate = rate(now);
            return rate == 0 || usualRate == 0 ? 1 : Math.clamp(rate / usualRate, MIN_WEIGHT, 1.0);
        }

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
            double usualRate = host.usualRate(now);
            Map.Entry<InetAddress, Address> best = null;
            for (Map.Entry<InetAddress, Address> next : host.addresses.entrySet()) {
                if (best == null || isBetter(next.getValue(), best.getValue(), usualRate, now)) {
                    best = next;
                }
            }
            Map.Entry<InetAddress, Address> chosen = requireNonNull(best);
            chosen.getValue().connections++;
            return new InetSocketAddress(chosen.getKey(), endpoint.port());
        }
    }

    private static boolean isBetter(Address one, Address other, double usualRate, long now) {
        if (one.hasFailed(now) != other.hasFailed(now)) {
            return other.hasFailed(now);
        }
        return (one.connections + 1) / one.weight(usualRate, now)
                < (other.connections + 1) / other.weight(usualRate, now);
    }

    /**
     * Called when the body of a response has arrived.
     *
     * @param nanos from its first to its last byte
     */
    public synchronized void received(
            Endpoint endpoint, InetSocketAddress from, long bytes, long nanos) {
        Address address = find(endpoint, from);
        if (address != null && bytes >= MIN_BODY_BYTES && nanos > 0) {
            address.measured(bytes, nanos, nanoTime.getAsLong());
        }
    }

    /** Whether an address is much slower than the others of its host. */
    public synchronized boolean isSlow(Endpoint endpoint, InetSocketAddress of) {
        Host host = hosts.get(endpoint.host());
        Address address = find(endpoint, of);
        long now = nanoTime.getAsLong();
        return host != null
                && address != null
                && address.weight(host.usualRate(now), now) < SLOW_WEIGHT;
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
