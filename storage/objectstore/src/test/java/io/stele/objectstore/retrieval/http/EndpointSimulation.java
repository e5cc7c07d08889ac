package io.stele.objectstore.retrieval.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Requests in virtual time to a host with slow and fast addresses. Connections are reused as {@link
 * ConnectionPool} does it. Long runs have a new seed, which is printed; {@code -Dsimulation.seed=N}
 * replays it.
 */
class EndpointSimulation {
    private static final Endpoint ENDPOINT = new Endpoint(true, "s3.example", 443);
    private static final int ADDRESSES = 8;
    private static final int IN_FLIGHT = 32;
    private static final int BODY_BYTES = 1 << 20;
    private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SLOWER = 10;

    private final long seed =
            Long.getLong("simulation.seed", LongRun.isOn() ? System.nanoTime() : 7);
    private final Random random = new Random(seed);
    private final Set<Integer> slow = new HashSet<>();
    private int known = ADDRESSES;
    private long now;
    private final EndpointResolver resolver =
            new EndpointResolver(
                    _ -> {
                        InetAddress[] all = new InetAddress[known];
                        for (int i = 0; i < known; i++) {
                            all[i] = address(i);
                        }
                        return all;
                    },
                    () -> now,
                    TimeUnit.SECONDS.toNanos(10),
                    TimeUnit.MINUTES.toNanos(2));
    private final PriorityQueue<Exchange> underWay =
            new PriorityQueue<>(Comparator.comparingLong(Exchange::endNanos));
    private final List<Connection> idle = new ArrayList<>();

    private record Connection(InetSocketAddress address, long openedNanos) {}

    private record Exchange(Connection connection, long nanos, long endNanos) {}

    private static InetAddress address(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
    }

    private static int number(InetSocketAddress address) {
        return address.getAddress().getAddress()[3];
    }

    private void send() throws UnknownHostException {
        Connection to =
                idle.isEmpty()
                        ? new Connection(resolver.connect(ENDPOINT), now)
                        : idle.removeLast();
        double nanos = FAST_NANOS * (0.5 + random.nextDouble());
        long took = (long) (slow.contains(number(to.address())) ? SLOWER * nanos : nanos);
        underWay.add(new Exchange(to, took, now + took));
    }

    /** Runs for a time; returns the share of the requests that each address got. */
    private double[] run(long seconds) throws UnknownHostException {
        long end = now + TimeUnit.SECONDS.toNanos(seconds);
        double[] requests = new double[ADDRESSES + 1];
        long all = 0;
        while (now < end) {
            while (underWay.size() < IN_FLIGHT) {
                send();
            }
            Exchange ended = underWay.remove();
            now = ended.endNanos();
            InetSocketAddress from = ended.connection().address();
            requests[number(from)]++;
            all++;
            resolver.received(ENDPOINT, from, BODY_BYTES, ended.nanos());
            if (resolver.isSlow(ENDPOINT, from)
                    || now - ended.connection().openedNanos() > ConnectionPool.MAX_AGE_NANOS) {
                resolver.closed(ENDPOINT, from);
            } else {
                idle.addLast(ended.connection());
            }
        }
        for (int i = 0; i < requests.length; i++) {
            requests[i] /= all;
        }
        return requests;
    }

    @Test
    void fastAddressesAreUsedAndSlowOnesTriedAgain() throws Exception {
        System.out.println("EndpointSimulation seed " + seed);
        double even = 1.0 / ADDRESSES;
        slow.addAll(List.of(random.nextInt(4), 4 + random.nextInt(4)));
        double[] shares = run(60);
        for (int i = 0; i < ADDRESSES; i++) {
            assertThat(shares[i])
                    .as("address %d, slow %s, seed %d", i, slow, seed)
                    .isBetween(
                            slow.contains(i) ? 1e-9 : even / 3, slow.contains(i) ? even / 30 : 1);
        }
        // The slow ones recover
        Set<Integer> recovered = Set.copyOf(slow);
        slow.clear();
        run(120);
        shares = run(60);
        for (int i : recovered) {
            assertThat(shares[i]).as("address %d, seed %d", i, seed).isGreaterThan(even / 3);
        }
        // A new one is used although nothing is known of it
        known = ADDRESSES + 1;
        run(120);
        shares = run(60);
        assertThat(shares[ADDRESSES]).as("seed %d", seed).isGreaterThan(even / 4);
    }
}
