package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TestMasterKeyCheck {
    private static List<KeyFingerprint> keys(String... ids) {
        return Stream.of(ids).map(id -> new KeyFingerprint(id, "print of " + id)).toList();
    }

    private static void refused(
            List<KeyFingerprint> sidecar, List<KeyFingerprint> catalog, String message) {
        assertThatThrownBy(() -> MasterKeyCheck.check(sidecar, catalog, "http://sidecar"))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessage(message + " (stele.encryption.*): http://sidecar");
    }

    @Test
    void whatEachWritesTheOtherMustRead() {
        MasterKeyCheck.check(keys(), keys(), "");
        MasterKeyCheck.check(keys("a"), keys("a"), "");
        // While keys are rotated, in any order of restarts
        MasterKeyCheck.check(keys("old", "new"), keys("old"), "");
        MasterKeyCheck.check(keys("new", "old"), keys("old", "new"), "");
        MasterKeyCheck.check(keys("new"), keys("new", "old"), "");

        refused(keys("a"), keys(), "Expected the sidecar's master keys [a], found none");
        refused(keys(), keys("a"), "Expected no master keys, as in the sidecar, found [a]");
        refused(
                keys("new", "old"),
                keys("old"),
                "Expected master key 'new', which the sidecar encrypts with, in the catalog, found only [old]");
        refused(
                keys("old"),
                keys("new", "old"),
                "Expected master key 'new', which the catalog encrypts with, in the sidecar, found only [old]");
        refused(
                List.of(new KeyFingerprint("a", "1"), new KeyFingerprint("b", "2")),
                List.of(new KeyFingerprint("a", "1"), new KeyFingerprint("b", "3")),
                "Expected master key 'b' of fingerprint 2, as in the sidecar, found 3");
    }
}
