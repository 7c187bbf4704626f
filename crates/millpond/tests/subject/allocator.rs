use std::collections::BTreeMap;
use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::snapshot::{Checksum, SnapshotOf, ToChecksum};
use millpond::{HandleAllocator, HandleLayout, Refusal};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::walk::own_vec;
use super::{AnyHandle, Claimed, Form, Kind, Plan, PoolUnderTest, hash};

/// [`HandleAllocator`] of a reuse order and a handle layout.
pub(crate) struct AllocatorKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for AllocatorKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = Arrays<T, R, H>;

    const ASKING_IS_REFUSED: bool = false;
    const ORDER: Option<&'static str> = Some(R::NAME);
}

/// What a handle allocator is for: handles, and an array of the user's own.
#[derive(Clone)]
pub(crate) struct Arrays<T, R: ReuseOrder, H: HandleLayout> {
    values: Vec<Option<T>>,
    handles: HandleAllocator<R, H>,
}

impl<T, R: ReuseOrder, H: HandleLayout + AnyHandle> Arrays<T, R, H> {
    fn at(handle: H) -> usize {
        AnyHandle::index(handle)
    }

    /// Whether the values are there that are live, and no others: of a file nothing is known.
    fn agree(&self) -> Result<(), String> {
        let mut values = self.values.iter().enumerate();
        match values
            .find(|(index, value)| value.is_some() != self.handles.handle_at(*index).is_some())
        {
            Some((index, _)) => {
                Err(format!("value {index} is there while its slot is dead, or not"))
            }
            None => Ok(()),
        }
    }
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T> for Arrays<T, R, H> {
    type Handle = H;
    type Past = (SnapshotOf<HandleAllocator<R, H>>, Vec<Option<T>>);

    fn build(plan: Plan) -> Self {
        let builder = HandleAllocator::builder().reuse(R::default()).handle::<H>();
        let handles = super::planned!(builder, plan).build();
        Self { values: (0..handles.capacity()).map(|_| None).collect(), handles }
    }

    super::says_all!(outer => outer.handles, capacity);
    super::records!(outer => outer.handles);

    fn at(&self, index: usize) -> Option<Option<(H, &T)>> {
        let handle = self.handles.handle_at(index);
        assert_eq!(handle.is_some(), self.handles.occupancy().is_live(index));
        Some(handle.map(|handle| (handle, self.values[index].as_ref().unwrap())))
    }

    fn insert(&mut self, value: T) -> Result<H, T> {
        match self.handles.acquire() {
            Some(handle) => {
                assert!(self.values[Self::at(handle)].replace(value).is_none());
                Ok(handle)
            }
            None => Err(value),
        }
    }

    fn get(&self, handle: H) -> Option<&T> {
        self.handles.contains(handle).then(|| self.values[Self::at(handle)].as_ref())?
    }

    fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.handles.contains(handle).then(|| self.values[Self::at(handle)].as_mut())?
    }

    fn contains(&self, handle: H) -> bool {
        self.handles.contains(handle)
    }

    fn remove(&mut self, handle: H) -> Option<T> {
        self.handles.release(handle).then(|| self.values[Self::at(handle)].take())?
    }

    fn clear(&mut self) {
        let mut values = own_vec(self.values.len());
        values.extend(self.values.iter_mut().map(Option::take));
        self.handles.clear();
        drop(values);
    }

    fn migrated(&self, plan: Plan, own: Vec<T>) -> Option<Self>
    where
        T: Clone,
    {
        let mut arrays = Self::build(plan);
        own.into_iter().for_each(|value| drop(arrays.insert(value)));
        arrays.handles.migrate_from(self.handles.clone()).unwrap();
        arrays.values = self.values.clone();
        arrays.values.resize(arrays.handles.capacity(), None);
        Some(arrays)
    }

    fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.handles
            .handles()
            .map(|handle| (handle, self.values[Self::at(handle)].as_ref().unwrap()))
    }

    fn validate(&self) -> Result<(), String> {
        self.agree()?;
        self.handles.validate().map_err(|violation| violation.to_string())
    }

    fn insert_at(&mut self, handle: H, value: T) -> Claimed<T> {
        Some(match self.handles.acquire_at(handle) {
            Ok(()) => {
                assert!(self.values[Self::at(handle)].replace(value).is_none());
                Ok(())
            }
            Err(error) => Err((error.kind(), value)),
        })
    }

    fn check(&self, handle: H) -> Option<Result<(), Refusal>> {
        Some(self.handles.check(handle))
    }

    fn promised(&mut self) -> Option<Option<H>> {
        Some(self.handles.next_handle())
    }

    fn try_clone(&self) -> Option<Self>
    where
        T: Clone,
    {
        Some(self.clone())
    }

    fn take_snapshot(&self) -> Option<Self::Past>
    where
        T: Clone,
    {
        Some((self.handles.snapshot(), self.values.clone()))
    }

    fn take_snapshot_of_copies(&self) -> Option<Self::Past>
    where
        T: Copy,
    {
        self.take_snapshot()
    }

    fn save_into(&self, (handles, values): &mut Self::Past)
    where
        T: Clone,
    {
        let emptied = EmptyUnlessDone(values);
        emptied.0.clone_from(&self.values);
        std::mem::forget(emptied);
        self.handles.save_into(handles).unwrap();
    }

    fn restore(&mut self, (handles, values): &Self::Past)
    where
        T: Clone,
    {
        self.handles.clear();
        let emptied = EmptyUnlessDone(&mut self.values);
        emptied.0.clone_from(values);
        std::mem::forget(emptied);
        self.handles.restore(handles).unwrap();
    }

    fn sum(&self) -> Option<u64>
    where
        T: ToChecksum,
    {
        Some(hash((self.handles.checksum(), sum_of(&self.values))))
    }

    fn sum_of((handles, values): &Self::Past) -> u64
    where
        T: ToChecksum,
    {
        hash((handles.checksum(), sum_of(values)))
    }

    fn differences(left: &Self::Past, right: &Self::Past) -> usize
    where
        T: ToChecksum,
    {
        left.0.diff(&right.0).count() + usize::from(sum_of(&left.1) != sum_of(&right.1))
    }

    fn validate_past((handles, _): &Self::Past) -> Result<(), String> {
        handles.as_pool().validate().map_err(|violation| violation.to_string())
    }

    fn write(&self, form: Form) -> Option<Vec<u8>>
    where
        T: Serialize,
    {
        // A map of those that are there, so that a reader makes no room for what a length says.
        let values = self.values.iter().enumerate();
        let values: BTreeMap<String, &T> =
            values.filter_map(|(at, value)| Some((at.to_string(), value.as_ref()?))).collect();
        Some(form.write(&(&self.handles, values)))
    }

    fn read(form: Form, bytes: &[u8]) -> Option<Result<Self, String>>
    where
        T: DeserializeOwned,
    {
        let read = form.read::<(HandleAllocator<R, H>, BTreeMap<String, T>)>(bytes);
        Some(read.and_then(|(handles, mut there)| {
            // The slots that a file does not list take no memory, but an array for them would.
            if handles.capacity() * size_of::<Option<T>>() > 4096 + 300 * bytes.len() {
                return Err("an array for more slots than the file justifies".to_owned());
            }
            let values =
                (0..handles.capacity()).map(|index| there.remove(&index.to_string())).collect();
            let read = Self { handles, values };
            read.agree().map(|()| read)
        }))
    }

    /// The values of a saved pool cannot be read as a past, which has an array of them.
    fn read_past(_: Form, _: &[u8]) -> Option<Result<Self::Past, String>>
    where
        T: DeserializeOwned + Clone,
    {
        None
    }
}

/// A clone that panics leaves nothing behind.
struct EmptyUnlessDone<'a, T>(&'a mut Vec<Option<T>>);

impl<T> Drop for EmptyUnlessDone<'_, T> {
    fn drop(&mut self) {
        self.0.fill_with(|| None);
    }
}

fn sum_of(values: &[impl ToChecksum]) -> u64 {
    let mut sum = Checksum::new();
    sum.add(values);
    sum.finish()
}
