package io.stele.objectstore.retrieval.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestEndpointResolver {
    private static final Endpoint ENDPOINT = new Endpoint(true, "s3.example", 443);

    private List<Integer> reported = List.of(1, 2, 3);
    private boolean fails;
    private int lookups;
    private long now = 5;
    private final EndpointResolver resolver =
            new EndpointResolver(
                    host -> {
                        lookups++;
                        if (fails) {
                            throw new UnknownHostException(host);
                        }
                        InetAddress[] addresses = new InetAddress[reported.size()];
                        for (int i = 0; i < addresses.length; i++) {
                            addresses[i] = address(reported.get(i));
                        }
                        return addresses;
                    },
                    () -> now,
                    10,
                    100);

    @Test
    void connectionsAreSpreadOverTheAddresses() throws Exception {
        assertThat(connect(6)).containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(lookups).isEqualTo(1);
        resolver.closed(ENDPOINT, socket(2));
        assertThat(connect(2)).containsExactly(2, 1);
    }

    @Test
    void addressesOfSeveralLookupsAddUpForAWhile() throws Exception {
        connect(1);
        now += 10;
        reported = List.of(4);
        assertThat(connect(3)).containsExactly(2, 3, 4);
        assertThat(lookups).isEqualTo(2);
        for (int i = 1; i <= 3; i++) {
            resolver.closed(ENDPOINT, socket(i));
        }
        now += 101;
        assertThat(connect(2)).containsExactly(4, 4); // the others have not been told for long
    }

    @Test
    void whatFailedIsAvoidedWhileThereAreOthers() throws Exception {
        resolver.failed(ENDPOINT, socket(1)); // not known yet
        assertThat(connect(1)).containsExactly(1);
        resolver.failed(ENDPOINT, socket(1));
        resolver.closed(ENDPOINT, socket(1));
        assertThat(connect(4)).containsExactly(2, 3, 2, 3);
        resolver.failed(ENDPOINT, socket(2));
        resolver.failed(ENDPOINT, socket(3));
        assertThat(connect(1)).containsExactly(1); // all have failed: the one with the fewest
        now += 101;
        assertThat(connect(1)).containsExactly(1);
    }

    @Test
    void whatWasKnownStaysGoodWhileNamesCannotBeLookedUp() throws Exception {
        connect(1);
        fails = true;
        now += 50;
        assertThat(connect(1)).containsExactly(2);
        assertThatThrownBy(() -> resolver.connect(new Endpoint(true, "other", 443)))
                .isInstanceOf(UnknownHostException.class);
    }

    @Test
    void aSlowAddressGetsFewerConnections() throws Exception {
        connect(3);
        for (int i = 1; i <= 3; i++) {
            resolver.received(ENDPOINT, socket(i), 1 << 20, i == 2 ? 40_000_000 : 10_000_000);
        }
        assertThat(resolver.isSlow(ENDPOINT, socket(1))).isFalse();
        assertThat(resolver.isSlow(ENDPOINT, socket(2))).isTrue();
        assertThat(connect(4)).containsExactly(1, 3, 1, 3);
        assertThat(connect(10))
                .containsExactly(1, 3, 1, 3, 1, 3, 1, 3, 1, 2); // a quarter of theirs
        now += 10 * EndpointResolver.HALF_LIFE_NANOS;
        assertThat(resolver.isSlow(ENDPOINT, socket(2))).as("nobody knows any more").isFalse();
        assertThat(connect(1)).containsExactly(2);
    }

    @Test
    void smallBodiesShowNoRate() throws Exception {
        connect(3);
        for (int i = 0; i < 100; i++) {
            resolver.received(ENDPOINT, socket(1), 1 << 20, 10_000_000);
            resolver.received(ENDPOINT, socket(2), 10_000, 1_000_000_000);
        }
        resolver.received(ENDPOINT, socket(9), 1 << 20, 1); // not known
        assertThat(resolver.isSlow(ENDPOINT, socket(2))).isFalse();
        assertThat(connect(3)).containsExactly(1, 2, 3);
    }

    @Test
    void endpointsAreReadFromUrls() {
        assertThat(Endpoint.of(URI.create("https://h/x?y")))
                .isEqualTo(new Endpoint(true, "h", 443));
        assertThat(Endpoint.of(URI.create("http://h"))).isEqualTo(new Endpoint(false, "h", 80));
        assertThat(Endpoint.of(URI.create("http://[::1]:90/")))
                .isEqualTo(new Endpoint(false, "::1", 90));
        assertThatThrownBy(() -> Endpoint.of(URI.create("ftp://h")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private List<Integer> connect(int count) throws UnknownHostException {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add((int) resolver.connect(ENDPOINT).getAddress().getAddress()[3]);
        }
        return numbers;
    }

    private static InetAddress address(int number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
    }

    private static InetSocketAddress socket(int number) throws UnknownHostException {
        return new InetSocketAddress(address(number), 443);
    }
}
