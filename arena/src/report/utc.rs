//! Points in time as people read them, in UTC.

/// `2026-03-01 14:05 UTC`, from milliseconds since 1970.
pub fn utc(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (year, month, day) = date((minutes / 1_440) as i64);
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Year, month and day of a day counted from 1970-01-01: Howard Hinnant, chrono-compatible low-level date algorithms,
/// `civil_from_days`, for days since 1970 only.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn known_points_in_time_are_told() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_709_251_199_999), "2024-02-29 23:59 UTC");
        assert_eq!(utc(4_102_444_800_000), "2100-01-01 00:00 UTC");
    }
}
