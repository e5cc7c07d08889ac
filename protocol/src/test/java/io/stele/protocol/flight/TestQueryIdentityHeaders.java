package io.stele.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.stele.protocol.QueryIdentity;
import org.junit.jupiter.api.Test;

final class TestQueryIdentityHeaders {
    @Test
    void allValuesComeBack() {
        QueryIdentity identity =
                new QueryIdentity(
                        "Zoë 50%", "grafana", "global.etl", "20261130_000000_00001_abcde");
        assertThat(read(identity)).isEqualTo(identity);
        assertThat(read(QueryIdentity.NONE)).isEqualTo(QueryIdentity.NONE);
        assertThat(identity.withUser("ann"))
                .isEqualTo(
                        new QueryIdentity(
                                "ann", "grafana", "global.etl", "20261130_000000_00001_abcde"));
    }

    @Test
    void aQueryWithoutAnIdSendsNone() {
        Metadata headers = new Metadata();
        QueryIdentityHeaders.put(new QueryIdentity("ann", "cli", ""), headers);
        assertThat(headers.keys()).containsExactlyInAnyOrder("stele-user", "stele-source");
        assertThat(QueryIdentityHeaders.get(headers).queryId()).isEmpty();
    }

    @Test
    void longValuesAreCut() {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("stele-query-id", Metadata.ASCII_STRING_MARSHALLER),
                "q".repeat(1_000));
        assertThat(QueryIdentityHeaders.get(headers).queryId()).isEqualTo("q".repeat(256));
    }

    private static QueryIdentity read(QueryIdentity identity) {
        Metadata headers = new Metadata();
        QueryIdentityHeaders.put(identity, headers);
        return QueryIdentityHeaders.get(headers);
    }
}
